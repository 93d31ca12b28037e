import type { memberHistory } from '@rolecall/contract'
import { findUsername } from '#mirror/read-members'
import { nextMomentCursor } from '#platform/db/moment-cursor'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { listHistoryRows } from './history-store.ts'

/**
 * Lists one page of the role changes and sign-ins of a member, newest first.
 *
 * @throws MEMBER_NOT_FOUND
 */
export async function listMemberHistory(
  { db }: Pick<Deps, 'db'>,
  memberId: string,
  { limit = 50, cursor }: memberHistory.MemberHistoryQuery,
) {
  if ((await findUsername(db, memberId)) === undefined) throw new ApiError('MEMBER_NOT_FOUND')
  const rows = await listHistoryRows(db, { memberId, limit, cursor })
  return {
    data: rows.map(({ at, ...row }) => ({ at: at.toISOString(), ...row })),
    nextCursor: nextMomentCursor(rows, limit),
  }
}
