import type { Database, Tx } from '#platform/db/database'
import { allowInTransaction, deleteLetGo, findCut, moveStart } from './chain-store.ts'
import type { RecordAudit } from './event.ts'
import { lockHead } from './store.ts'

/** The maximum number of entries that one statement deletes: a clean-up never holds up a request. */
const batchSize = 1_000

/**
 * The action of an entry that records retention: `changes.start.after` is the new beginning of the log, which
 * verification looks up.
 */
export const letGoAction = 'audit.let_go'

/**
 * Removes entries that are older than this number of days. The log gets a new beginning first, once a day, with an
 * entry that names it. The entries before it are deleted in small steps, by any instance. Returns the number of entries
 * deleted in this step.
 */
export async function deleteOldEntries(
  { db, record }: { readonly db: Database; readonly record: RecordAudit },
  days: number,
): Promise<number> {
  if (await findCut(db, days)) await db.transaction((tx) => beginLater(tx, record, days))
  return db.transaction(async (tx) => {
    await allowInTransaction(tx, 'retention')
    return deleteLetGo(tx, batchSize)
  })
}

async function beginLater(tx: Tx, record: RecordAudit, days: number) {
  await lockHead(tx)
  // Another instance may have been faster.
  const cut = await findCut(tx, days)
  if (!cut) return
  const { seq, hash, before } = cut
  await moveStart(tx, cut)
  await record(tx, {
    actionType: 'permission',
    action: letGoAction,
    target: { type: 'audit', id: 'log' },
    summary: `Entries of the audit log older than ${days} days were deleted: ${seq - before}. The log now begins with entry ${seq + 1}.`,
    changes: { start: { before: null, after: { seq, hash } } },
  })
}
