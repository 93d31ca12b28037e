import type { Tx } from '#platform/db/database'
import { endEverySession } from './end-every-session.ts'
import { deleteActivity, deleteCodes, deleteLogoutMarks, deleteSessions } from './erase-store.ts'

/** Ends all sessions of a member, so that projects are notified, and deletes every record of them. */
export async function eraseSessions(tx: Tx, memberId: string): Promise<void> {
  await endEverySession(tx, memberId, 'member_erased')
  await deleteCodes(tx, memberId)
  await deleteSessions(tx, memberId)
  await deleteLogoutMarks(tx, memberId)
  await deleteActivity(tx, memberId)
}
