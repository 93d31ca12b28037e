import type { Database, Tx } from './database.ts'
import { sql } from './sql.ts'

/**
 * Runs `work` over a database that rolls every change back: one transaction that never commits.
 *
 * `work` has its real effects, including triggers and constraints. Afterwards nothing remains: no row, no notification,
 * and no call of `afterCommit`. Locks are held until `work` is finished, so `work` contacts no external service, and
 * slow counts run afterwards.
 */
export async function rehearse<T>(db: Database, work: (rehearsal: Database) => Promise<T>): Promise<T> {
  const takenBack = new Error('The dry run is rolled back.')
  const rehearsed: { value?: T } = {}
  try {
    await db.transaction(async (tx) => {
      rehearsed.value = await work(inside(db, tx))
      // Deferred constraints are checked, too.
      await tx.execute(sql`set constraints all immediate`)
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack) throw error
  }
  // Only `takenBack` comes here, and it is thrown after the value was set.
  return rehearsed.value as T
}

/** Wraps the transaction as a database, for code that opens transactions: they become parts of this one. */
const inside = (db: Database, tx: Tx): Database => ({
  ...db,
  query: tx.query,
  maybeOne: tx.maybeOne,
  execute: tx.execute,
  batched: tx.query,
  transaction: (work) => work(tx),
})
