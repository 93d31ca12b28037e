import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabaseForTests } from '../../../test/database-for-tests.ts'
import { type Database, DatabaseUnavailable } from './database.ts'
import { openDatabase } from './open-database.ts'
import { sql } from './sql.ts'

const database = emptyDatabaseForTests('postgres')
let db: Database
beforeAll(async () => {
  db = await openDatabase(database.url)
})
afterAll(() => db.close())

test('a transaction that the server ended while the process was suspended is repeated', async () => {
  let attempts = 0
  const found = await db.transaction(async (tx) => {
    attempts += 1
    if (attempts === 1) {
      await tx.script(`set local idle_in_transaction_session_timeout = '50ms'`)
      // Suspends this process until the server has ended the connection.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    }
    return tx.maybeOne(sql`select 1 as "one"`)
  })
  expect([found, attempts]).toEqual([{ one: 1 }, 2])
})

test('a transaction that the server ended because it took too long is reported as an outage, once', async () => {
  let attempts = 0
  const slow = db.transaction(async (tx) => {
    attempts += 1
    await tx.script(`set local transaction_timeout = '50ms'; select pg_sleep(1)`)
  })
  await expect(slow).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(attempts).toBe(1)
})
