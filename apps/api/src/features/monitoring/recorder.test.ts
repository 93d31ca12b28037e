import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { emptyDatabaseForTests } from '../../../test/database-for-tests.ts'
import { engines } from '../../../test/databases.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'
import { type Database, DatabaseUnavailable } from '../../platform/db/database.ts'
import { openDatabase } from '../../platform/db/open-database.ts'
import { sql } from '../../platform/db/sql.ts'
import { createLog } from '../../platform/log.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { NewFailure } from './store.ts'

const failure = (i: number): NewFailure => ({
  at: performance.now(),
  kind: 'session',
  reason: 'unknown',
  address: `2001:db8::${(i % 65_536).toString(16)}`,
  path: '/api/auth/validate',
  projectId: null,
  serverId: null,
  keyPrefix: null,
  memberId: null,
  requestId: `request-${i}`,
})

describe.each(engines)('the recorder on %s', (engine) => {
  const database = emptyDatabaseForTests(engine)
  let db: Database
  let isDown = false
  const recorders: Recorder[] = []
  beforeAll(async () => {
    db = await openDatabase(database.url)
  })
  afterAll(async () => {
    for (const recorder of recorders) await recorder.close()
    await db.close()
  })

  /** Runs on a database that can be unreachable. */
  const start = () => {
    const execute: Database['execute'] = (statement) =>
      isDown ? Promise.reject(new DatabaseUnavailable('away')) : db.execute(statement)
    const recorder = createRecorder({ db: { ...db, execute }, log: createLog('silent') })
    recorders.push(recorder)
    return recorder
  }
  const counted = async (route: string) =>
    (
      await db.maybeOne<{ n: number }>(sql`
        select coalesce(sum(count), 0)::int8 as n from usage_minutes where route = ${route}`)
    )?.n

  test('writes by itself, each request once, two instances at a time', async () => {
    const recorder = [start(), start()]
    for (let i = 0; i < 1_000; i++) recorder[i % 2]?.countUsage(`GET /both/${i % 7}`, undefined, 200, 0)
    await expect
      .poll(async () =>
        Number(
          (
            await db.maybeOne<{ n: number }>(sql`
          select coalesce(sum(count), 0)::int8 as n from usage_minutes where route like 'GET /both/%'`)
          )?.n,
        ),
      )
      .toBe(1_000)
  })

  test('keeps what it counts while the database is away, and adds it once when it is back', async () => {
    const recorder = start()
    isDown = true
    for (let i = 0; i < 50; i++) {
      recorder.countUsage('GET /away', undefined, 200, 0)
      if (i % 10 === 0) await recorder.flush()
    }
    recorder.addFailure(() => ({ ...failure(0), requestId: 'while-away' }))
    await recorder.flush()
    expect(await counted('GET /away')).toBe(0)
    expect(recorder.state().unwritten).toBe(2)
    isDown = false
    await recorder.flush()
    expect(await counted('GET /away')).toBe(50)
    expect(recorder.state().unwritten).toBe(0)
    await recorder.flush()
    expect(await counted('GET /away')).toBe(50)
    const row = await db.maybeOne(sql`select 1 as found from auth_failures where request_id = 'while-away'`)
    expect(row).toBeDefined()
  })

  test('puts a count into the minute in which it was, by the clock of the database', async () => {
    const recorder = start()
    const minuteOf = async (route: string) =>
      (
        await db.maybeOne<{ ok: boolean }>(sql`
          select minute = date_trunc('minute', minute) and minute > clock_now() - interval '2 minutes' as ok
          from usage_minutes where route = ${route}`)
      )?.ok
    recorder.countUsage('GET /minute', undefined, 200, 0)
    await recorder.flush()
    expect(await minuteOf('GET /minute')).toBe(true)
  })

  test('a flood grows neither memory nor the table without bound, and is counted all the same', async () => {
    const recorder = start()
    isDown = true
    const flood = (from: number, count: number) => {
      for (let i = from; i < from + count; i++) {
        recorder.addFailure(() => failure(i))
        // The source names all routes and projects; if it did not, this would be the bound.
        recorder.countUsage(`GET /flood/${i}`, undefined, 401, 0)
      }
    }
    flood(0, 25_000)
    const before = heapAfterCollection()
    flood(25_000, 150_000)
    await recorder.flush()
    flood(175_000, 25_000)
    expect(heapAfterCollection() - before).toBeLessThan(20 * 2 ** 20)
    expect(recorder.state().unwritten).toBeLessThanOrEqual(25_000)
    expect(recorder.state().droppedFailures).toBeGreaterThan(150_000)
    isDown = false
    await recorder.flush()
    const kept = await db.query<{ requestId: string }>(sql`
      select request_id as "requestId" from auth_failures where request_id <> 'while-away'`)
    expect(kept.length).toBeGreaterThan(4_000)
    expect(kept.length).toBeLessThanOrEqual(5_010)
    // A sample of the whole flood, not its beginning: about as many of the late half as of the early one.
    const late = kept.filter(({ requestId }) => Number(requestId.slice(8)) > 87_500).length
    expect(late).toBeGreaterThan(kept.length / 4)
  })

  const heapAfterCollection = () => {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  }
})

describe('what is kept of a rejected credential', () => {
  const world = worldForTests('pglite')

  const pathsAfter = async (path: string) => {
    const requestId = `marked-${Math.random().toString(36).slice(2)}`
    await call(world.url, 'GET', path, { token: 'garbage', headers: { 'x-request-id': requestId } })
    await world.service.recorder.flush()
    const { db } = world.service.deps
    return db.maybeOne<{ path: string }>(sql`select path from auth_failures where request_id = ${requestId}`)
  }

  test('its path has no query, and nothing in it that looks like a credential', async () => {
    const token = mintToken('session')
    const hidden = token.replace('_', '%5f').replace('s', '%73')
    const at = '/api/admin/projects'
    expect(await pathsAfter(`${at}?token=${token}`)).toEqual({ path: at })
    expect(await pathsAfter(`${at}/${token}`)).toEqual({ path: `${at}/[masked]` })
    expect(await pathsAfter(`${at}/${hidden}`)).toEqual({ path: `${at}/[masked]` })
    expect(await pathsAfter(`${at}/${mintToken('apiKey')}`)).toEqual({ path: `${at}/[masked]` })
    expect(await pathsAfter(`${at}/whsec_${'x'.repeat(43)}`)).toEqual({ path: `${at}/[masked]` })
    expect(await pathsAfter(`${at}/0190a2c4-0000-7000-8000-000000000000`)).toEqual({
      path: `${at}/0190a2c4-0000-7000-8000-000000000000`,
    })
  })

  test('a request id that looks like a credential is not taken over, any other plain word is', async () => {
    const answered = async (id: string) =>
      (await call(world.url, 'GET', '/api/health/live', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      )
    for (const secret of [
      mintToken('session'),
      mintToken('apiKey'),
      mintToken('refresh'),
      mintToken('code'),
    ]) {
      expect(await answered(secret)).not.toBe(secret)
    }
    const word = '4bf92f3577b34da6a3ce929d0e0e4736'
    expect(await answered(word)).toBe(word)
  })
})
