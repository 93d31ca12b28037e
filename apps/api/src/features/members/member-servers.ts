import type { memberLists } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findMemberServers } from './lists-store.ts'

/**
 * Returns a member, with their registered servers and the roles in each.
 *
 * @throws MEMBER_NOT_FOUND
 */
export async function getMemberServers(
  { db }: Pick<Deps, 'db'>,
  memberId: string,
): Promise<memberLists.MemberServers> {
  const member = await findMemberServers(db, memberId)
  if (!member) throw new ApiError('MEMBER_NOT_FOUND')
  return member
}
