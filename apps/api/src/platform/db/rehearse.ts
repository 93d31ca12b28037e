import type { Database, Tx } from './database.ts'
import { sql } from './sql.ts'

/**
 * Runs `work` in a transaction that is always rolled back, for dry runs.
 *
 * All triggers and constraints apply. Afterwards nothing remains: no row, no notification, and no `afterCommit` call.
 * Locks are held until `work` returns. So it must not contact another service, and slow counts belong after it.
 */
export async function rehearse<T>(db: Database, work: (rehearsal: Database) => Promise<T>): Promise<T> {
  const rollback = new Error('The dry run is rolled back.')
  const rehearsed: { value?: T } = {}
  try {
    await db.transaction(async (tx) => {
      rehearsed.value = await work(asDatabase(db, tx))
      // Checks deferred constraints, too, which would otherwise wait for the commit.
      await tx.execute(sql`set constraints all immediate`)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  // The transaction was rolled back, so `work` has returned its result.
  return rehearsed.value as T
}

/** Lets the transaction act as a database. Transactions that `work` opens become parts of it. */
const asDatabase = (db: Database, tx: Tx): Database => ({
  ...db,
  query: tx.query,
  maybeOne: tx.maybeOne,
  execute: tx.execute,
  batched: tx.query,
  script: tx.script,
  transaction: (work) => work(tx),
})
