import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/databases.ts'
import { redisForTests } from '../../test/process-for-tests.ts'
import type { Cache } from '../platform/cache/cache.ts'
import { createCache } from '../platform/cache/create-cache.ts'
import type { Database } from '../platform/db/database.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { createLog } from '../platform/log.ts'
import { type Answers, createAnswers } from './answers.ts'
import type { Deliver } from './lease.ts'

const log = createLog('silent')
/** No renewal, and no end of a lease: only an acknowledgement ends a wait. */
const timing = { renewEveryMs: 1_000_000, leaseMs: 60_000, driftMs: 100 }

const redis = redisForTests()
let database: TestDatabase
let db: Database
const opened: { close(): Promise<void> }[] = []
beforeEach(async () => {
  database = await createDatabase('postgres')
  db = await openDatabase(database.url)
})
afterEach(async () => {
  redis.resume()
  for (const one of opened.splice(0).reverse()) await one.close()
  await db.close()
  await database.drop()
})

const openCache = async (): Promise<Cache> => {
  const cache = createCache(redis.url, { log })
  opened.push(cache)
  await expect.poll(() => cache.isUp()).toBe(true)
  return cache
}
const begin = async (of: Database, cache: Cache, deliver?: Deliver): Promise<Answers> => {
  const answers = createAnswers(
    { db: of, cache, log, maxBytes: 1_000_000, configuredServerId: undefined },
    { timing, ...(deliver && { deliver }) },
  )
  opened.push(answers)
  answers.start()
  await expect.poll(() => answers.isLeased()).toBe(true)
  return answers
}
/** A holder, the statements on its connection, and the invalidations that it receives. */
const beginHolder = async () => {
  const statements: Sql[] = []
  const invalidations: string[] = []
  const noting: Database = {
    ...db,
    dedicate: async (...terms) => {
      if (!db.dedicate) throw new Error('The embedded database has no connections.')
      const connection = await db.dedicate(...terms)
      const rows: typeof connection.rows = (statement) => {
        statements.push(statement)
        return connection.rows(statement)
      }
      return { ...connection, rows }
    },
  }
  await begin(noting, await openCache(), (payload, receive) => {
    if (payload.startsWith('look')) invalidations.push(payload)
    receive(payload)
  })
  statements.length = 0
  return { statements, invalidations }
}
const change = () =>
  db.execute(sql`insert into session_changes (kind, fact) values ('session', 'nobody has it')`)
const isInRow = ({ text }: Sql) => text.includes('answer_leases set acknowledged')

test('costs a holder no statement through the cache, and is not asked for again', async () => {
  const holder = await beginHolder()
  const writer = await begin(db, await openCache())
  const costs: number[] = []
  for (let i = 0; i < 60; i++) {
    holder.statements.length = 0
    await change()
    await writer.confirm()
    costs.push(holder.statements.length)
  }
  // On a busy machine an acknowledgement may be late, and is then asked for in the row.
  expect(costs.filter((statements) => statements === 0).length).toBeGreaterThan(0)
  // More than an invalidation carries. Each has only what the holder has not acknowledged, although its row does not
  // say so.
  expect(holder.invalidations.length).toBeGreaterThanOrEqual(60)
  for (const payload of holder.invalidations) expect(payload.split('"session"')).toHaveLength(2)
})

test('is in the row soon when the cache loses it', async () => {
  const holder = await beginHolder()
  const writer = await begin(db, await openCache(), (payload, receive) => {
    if (!payload.startsWith('ack')) receive(payload)
  })
  await change()
  await writer.confirm()
  expect(holder.statements.filter(isInRow)).not.toEqual([])
})

test('is in the row soon when the cache hangs, and at once when the cache is known to be down', async () => {
  const holder = await beginHolder()
  const cache = await openCache()
  const writer = await begin(db, cache)
  redis.pause()
  await change()
  await writer.confirm()
  expect(holder.statements.filter(isInRow)).not.toEqual([])
  expect(await cache.ping()).toBe(false)
  holder.invalidations.length = 0
  await change()
  await writer.confirm()
  expect(holder.invalidations[0]).toContain('"isQuick": false')
})

test('of one lease is not taken for that of another', async () => {
  const holder = await beginHolder()
  const cache = await openCache()
  const writer = await begin(db, cache, (payload, receive) => {
    // As if another process had said it.
    if (payload.startsWith('ack'))
      receive(payload.replace(/[0-9a-f-]{36}/, '00000000-0000-7000-8000-000000000000'))
    else receive(payload)
  })
  await change()
  await writer.confirm()
  expect(holder.statements.filter(isInRow)).not.toEqual([])
})
