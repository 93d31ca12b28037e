import type { memberLists } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import { listMembersById } from './lists-store.ts'
import { findPage } from './pages-store.ts'

/** A page of members. */
interface Page {
  readonly data: memberLists.MemberListItem[]
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly totalPages: number
}

/**
 * Lists one page of the current members that match the filters, in the order of names. The number of statements does
 * not depend on the length of the page.
 */
export async function listMembers(
  { db }: Pick<Deps, 'db'>,
  query: memberLists.MemberListQuery,
): Promise<Page> {
  const { page = 1, limit = 20, ...filters } = query
  const { total, ids } = await findPage(db, filters, (page - 1) * limit, limit)
  const members = await listMembersById(db, ids)
  const data = members.map((member) => ({ ...member, serverCount: member.servers.length }))
  return { data, page, limit, total, totalPages: Math.ceil(total / limit) }
}
