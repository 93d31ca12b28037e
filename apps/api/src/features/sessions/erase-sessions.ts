import type { Tx } from '#platform/db/database'
import { endEverySession } from './end-every-session.ts'
import { deleteActivity, deleteCodes, deleteLogoutMarks, deleteSessions } from './erase-store.ts'

/** Ends everything that a member is logged in by, so that projects are told, and deletes every record of it. */
export async function eraseSessions(tx: Tx, memberId: string): Promise<void> {
  await endEverySession(tx, memberId, 'member_erased')
  await deleteCodes(tx, memberId)
  await deleteSessions(tx, memberId)
  await deleteLogoutMarks(tx, memberId)
  await deleteActivity(tx, memberId)
}
