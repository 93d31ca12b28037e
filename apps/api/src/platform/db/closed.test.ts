import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import { type Database, DatabaseUnavailable } from './database.ts'
import { openDatabase } from './open-database.ts'
import { sql } from './sql.ts'

describe.each(engines)('a closed database on %s', (engine) => {
  let created: TestDatabase
  let db: Database
  beforeAll(async () => {
    created = await createDatabase(engine)
    db = await openDatabase(created.url)
    await db.close()
  })
  afterAll(() => created.drop())
  const ways: Record<string, () => Promise<unknown>> = {
    'a query': () => db.query(sql`select 1`),
    'a batch': () => db.batched(sql`select 1`),
    'a transaction': () => db.transaction((tx) => tx.query(sql`select 1`)),
    'a stream': () => db.stream(sql`select 1`, 10).next(),
    'a script': () => db.script('select 1'),
  }

  test.each(Object.keys(ways))('is unavailable to %s', async (way) => {
    await expect(ways[way]?.()).rejects.toThrow(DatabaseUnavailable)
  })
})
