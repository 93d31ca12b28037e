import type { Tx } from '#platform/db/database'
import { endEverySession } from './end-every-session.ts'
import { deleteActivity, deleteCodes, deleteLogoutMarks, deleteSessions } from './erase-store.ts'

/**
 * Deletes every record of a member's sessions, codes, and activity. Ends the sessions first, because only an end, and
 * not a deletion, notifies the projects.
 */
export async function eraseSessions(tx: Tx, memberId: string): Promise<void> {
  await endEverySession(tx, memberId, 'member_erased')
  await deleteCodes(tx, memberId)
  await deleteSessions(tx, memberId)
  await deleteLogoutMarks(tx, memberId)
  await deleteActivity(tx, memberId)
}
