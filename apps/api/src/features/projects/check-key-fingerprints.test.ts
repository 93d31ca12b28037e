import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import type { Database } from '../../platform/db/database.ts'
import { openDatabase } from '../../platform/db/open-database.ts'
import { sql } from '../../platform/db/sql.ts'
import { checkKeyFingerprints } from './check-key-fingerprints.ts'

const a = 'a'.repeat(64)
const b = 'b'.repeat(64)

describe.each(engines)('key fingerprints on %s', (engine) => {
  let database: TestDatabase
  let db: Database
  beforeAll(async () => {
    database = await createDatabase(engine)
    db = await openDatabase(database.url)
  })
  afterAll(async () => {
    await db.close()
    await database.drop()
  })

  test('a changed key is reported by the name of its variable, for as long as it differs', async () => {
    const check = (outboundKey: string | undefined, inboundKey: string | undefined) =>
      checkKeyFingerprints(db, { outboundKey, inboundKey })
    expect(await check(undefined, undefined)).toEqual([])
    expect(await check(a, undefined)).toEqual([])
    expect(await check(a, a)).toEqual([])
    expect(await check(a.toUpperCase(), a)).toEqual([])
    for (const _ of [1, 2]) {
      expect(await check(b, a)).toEqual([expect.stringMatching(/^OUTBOUND_WEBHOOK_ENCRYPTION_KEY /)])
    }
    expect(await check(b, b)).toHaveLength(2)
    expect((await check(b, b)).join()).not.toContain(b)
    expect(await check(a, a)).toEqual([])
  })

  test('of several first starts at once all agree on one key', async () => {
    await db.execute(sql`delete from key_fingerprints`)
    const reports = await Promise.all(
      [a, b, a, b].map((outboundKey) => checkKeyFingerprints(db, { outboundKey, inboundKey: undefined })),
    )
    expect(reports.filter((sentences) => sentences.length > 0)).toHaveLength(2)
  })
})
