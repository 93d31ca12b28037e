import type { Database, Tx } from './database.ts'
import { sql } from './sql.ts'

/**
 * Runs `work` in a transaction that is always rolled back.
 *
 * `work` runs with all triggers and constraints. Afterwards nothing remains: no row, no notification, and no call of
 * `afterCommit`. Locks are held until `work` is finished, so it must not contact an external service, and slow counts
 * run afterwards.
 */
export async function rehearse<T>(db: Database, work: (rehearsal: Database) => Promise<T>): Promise<T> {
  const rollback = new Error('The dry run is rolled back.')
  const rehearsed: { value?: T } = {}
  try {
    await db.transaction(async (tx) => {
      rehearsed.value = await work(asDatabase(db, tx))
      // Checks deferred constraints, too.
      await tx.execute(sql`set constraints all immediate`)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  // Only `rollback` was thrown, after the value was set.
  return rehearsed.value as T
}

/** Wraps the transaction as a database. Transactions that `work` opens become parts of it. */
const asDatabase = (db: Database, tx: Tx): Database => ({
  ...db,
  query: tx.query,
  maybeOne: tx.maybeOne,
  execute: tx.execute,
  batched: tx.query,
  transaction: (work) => work(tx),
})
