import type { memberLists } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findMemberServers } from './lists-store.ts'

/** Returns a member and the registered servers of which they are a member, with the roles in each. */
export async function getMemberServers(
  { db }: Pick<Deps, 'db'>,
  memberId: string,
): Promise<memberLists.MemberServers> {
  const member = await findMemberServers(db, memberId)
  if (!member) throw new ApiError('MEMBER_NOT_FOUND')
  return member
}
