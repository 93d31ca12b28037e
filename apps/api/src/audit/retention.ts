import type { Database, Tx } from '#platform/db/database'
import { allowInTransaction, deleteRetiredEntries, findRetentionCut, moveStart } from './chain-store.ts'
import type { RecordAudit } from './event.ts'
import { lockHead } from './store.ts'

/** The maximum number of entries that one statement deletes, so that it does not delay requests. */
const batchSize = 1_000

/**
 * The action of the entry that records a removal by retention. Its `changes.start.after` is the new beginning of the
 * log, which verification compares.
 */
export const retentionAction = 'audit.let_go'

/**
 * Removes the entries that are older than this number of days. First, once a day, the log gets a new beginning, and an
 * entry that records it. Then the entries before the beginning are deleted in small steps, by any instance. Returns the
 * number of entries that this step deleted.
 */
export async function deleteOldEntries(
  { db, record }: { readonly db: Database; readonly record: RecordAudit },
  days: number,
): Promise<number> {
  if (await findRetentionCut(db, days)) await db.transaction((tx) => moveBeginning(tx, record, days))
  return db.transaction(async (tx) => {
    await allowInTransaction(tx, 'retention')
    return deleteRetiredEntries(tx, batchSize)
  })
}

async function moveBeginning(tx: Tx, record: RecordAudit, days: number) {
  await lockHead(tx)
  // Another instance may have moved the beginning in the meantime.
  const cut = await findRetentionCut(tx, days)
  if (!cut) return
  const { seq, hash, before } = cut
  await moveStart(tx, cut)
  await record(tx, {
    actionType: 'permission',
    action: retentionAction,
    target: { type: 'audit', id: 'log' },
    summary: `Entries of the audit log older than ${days} days were deleted: ${seq - before}. The log now begins with entry ${seq + 1}.`,
    changes: { start: { before: null, after: { seq, hash } } },
  })
}
