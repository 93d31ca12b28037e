import { expect, test } from 'vitest'
import { createDatabase } from '../../../test/databases.ts'
import { openDatabase } from './open-database.ts'
import { sql } from './sql.ts'
import { createStatementNames } from './statement-names.ts'

/** Opens one connection, so that a statement can have the effect of a pooler that switches servers. */
async function givenConnection() {
  const stored = await createDatabase('postgres')
  const told: string[] = []
  const log = { debug() {}, info() {}, warn: (...words: unknown[]) => void told.push(String(words[0])) }
  const db = await openDatabase(stored.url, { maxConnections: 1, log })
  return { db, told, close: () => db.close().then(stored.drop) }
}

const four = sql`select 2 + 2 as sum`
const forget = sql`deallocate all`

test('a prepared statement that got lost behind a pooler costs no answer, is told once, and no other is prepared', async () => {
  const { db, told, close } = await givenConnection()
  expect(await db.query(four)).toEqual([{ sum: 4 }])
  // After the pooler switches servers, the prepared statement is missing.
  await db.query(forget)
  expect(await db.query(four)).toEqual([{ sum: 4 }])
  expect(await db.query(four)).toEqual([{ sum: 4 }])
  expect(told).toEqual([expect.stringMatching(/^prepared statements disabled: .* max_prepared_statements$/)])
  expect(await db.query(sql`select name from pg_prepared_statements where statement = ${four.text}`)).toEqual(
    [],
  )
  await close()
})

test('a transaction that lost one is done again as a whole, and once', async () => {
  const { db, close } = await givenConnection()
  await db.script('create table counted (n int)')
  await db.query(four)
  await db.query(forget)
  await db.transaction(async (tx) => {
    await tx.execute(sql`insert into counted values (1)`)
    await tx.query(four)
  })
  expect(await db.query(sql`select n from counted`)).toEqual([{ n: 1 }])
  await close()
})

test('two processes give one name to one text alone, in any order of use', () => {
  const [one, other] = [createStatementNames({ warn() {} }), createStatementNames({ warn() {} })]
  const five = sql`select 2 + 3 as sum`
  const named = [four, five].map((statement) => one.toQuery(statement).name)
  expect([five, four].map((statement) => other.toQuery(statement).name)).toEqual(named.toReversed())
  expect(new Set(named).size).toBe(2)
})
