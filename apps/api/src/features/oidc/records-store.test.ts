import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { countRows } from '../../../test/given.ts'
import { authPath, givenClient, logIn } from '../../../test/oidc.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { startHousekeeping } from '../housekeeping/start-housekeeping.ts'
import { createAdapter } from './adapter.ts'
import { trimRecords, upsertRecord } from './records-store.ts'

describe.each(engines)('records on %s', (engine) => {
  const world = worldForTests(engine)

  const strangers = (address: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        upsertRecord(world.service.deps.db, {
          digest: `${address} ${i}`,
          model: 'Interaction',
          sessionId: null,
          uidDigest: null,
          userCodeDigest: null,
          payload: '{}',
          address,
          ttlSec: 600,
        }),
      ),
    )
  const left = async (address: string) => {
    const { db } = world.service.deps
    const row = await db.maybeOne<{ n: number }>({
      text: 'select count(*) as n from oidc_records where address = $1',
      values: [address],
    })
    return row?.n
  }

  test('a flood evicts its own records, and none of a signed-in member', async () => {
    const tokens = await logIn(world, await givenClient(world))
    const { db } = world.service.deps
    await db.execute({ text: 'delete from oidc_records where session_id is null', values: [] })
    const ofSession = await countRows(world, 'oidc_records')
    expect(ofSession).toBe(3)
    await strangers('address:198.51.100.1', 2)
    await strangers('address:203.0.113.9', 40)
    await trimRecords(db, 10)
    expect(await left('address:198.51.100.1')).toBe(2)
    expect(await left('address:203.0.113.9')).toBe(8)
    expect(await countRows(world, 'oidc_records')).toBe(ofSession + 10)
    expect(tokens.access_token).toMatch(/^rct_/)
  })

  test('an address that has too many loses its oldest records', async () => {
    const { db } = world.service.deps
    const address = 'address:192.0.2.77'
    await db.execute({ text: 'delete from oidc_records where session_id is null', values: [] })
    await strangers(address, 6)
    await db.execute({
      text: `update oidc_records set created_at = clock_now() - right(digest, 1)::int * interval '1 minute'
        where address = $1`,
      values: [address],
    })
    await trimRecords(db, 2)
    const rows = await db.query({
      text: 'select digest from oidc_records where address = $1 order by digest',
      values: [address],
    })
    expect(rows).toEqual([{ digest: `${address} 0` }, { digest: `${address} 1` }])
  })

  test('sign-ins that never complete are trimmed as they arrive', async () => {
    const { deps } = world.service
    await deps.db.execute({ text: 'delete from oidc_records where session_id is null', values: [] })
    await deps.db.execute({
      text: `insert into oidc_records (digest, model, payload, expires_at)
        select 'stranger ' || n, 'Interaction', '{}', clock_now() + interval '10 minutes'
        from generate_series(1, 50000) n`,
      values: [],
    })
    const needed = { ...deps, documents: {} } as unknown as Parameters<typeof createAdapter>[0]
    const adapter = createAdapter(needed)('Interaction')
    for (let i = 0; i < 1_000; i += 1) await adapter.upsert(`a sign-in ${i}`, {}, 600)
    const left = await countRows(world, 'oidc_records where session_id is null')
    await deps.db.execute({ text: 'delete from oidc_records where session_id is null', values: [] })
    expect(left).toBe(50_000)
  })

  test('housekeeping deletes what has expired, and keeps what is good', async () => {
    const project = await givenClient(world)
    await logIn(world, project)
    await fetch(world.url + authPath(project), { redirect: 'manual' })
    const { deps } = world.service
    const kept = await countRows(world, 'oidc_records')
    await strangers('address:192.0.2.1', 3)
    await deps.db.execute({
      text: "update oidc_records set expires_at = clock_now() - interval '2 hours' where address = 'address:192.0.2.1'",
      values: [],
    })
    const housekeeping = startHousekeeping(deps, {
      ...{ trimChanges: async () => {}, endKeys: async () => {} },
      ...{ retention: () => defaultRetention, steps: [] },
    })
    await housekeeping.clean()
    await housekeeping.close()
    expect(await countRows(world, 'oidc_records')).toBe(kept)
  })

  test('what one session has is not given to another', async () => {
    const tokens = await logIn(world, await givenClient(world))
    const others = await logIn(world, await givenClient(world))
    expect([tokens, others].every(Boolean)).toBe(true)
    const { db } = world.service.deps
    const [first, second] = await db.query<{ id: string }>({
      text: 'select id from sessions order by created_at desc, id limit 2',
      values: [],
    })
    const device = (sessionId: string | null, payload: string) =>
      upsertRecord(db, {
        ...{ digest: 'device', model: 'DeviceCode', sessionId, payload, ttlSec: 600 },
        ...{ uidDigest: null, userCodeDigest: null, address: null },
      })
    expect(await device(null, '{"n":0}')).toBe(true)
    expect(await device(first?.id ?? '', '{"n":1}')).toBe(true)
    expect(await device(second?.id ?? '', '{"n":2}')).toBe(false)
    expect(await device(first?.id ?? '', '{"n":3}')).toBe(true)
    const row = await db.maybeOne<{ payload: unknown; session: string }>({
      text: "select payload::text as payload, session_id as session from oidc_records where digest = 'device'",
      values: [],
    })
    expect([JSON.parse(String(row?.payload)), row?.session]).toEqual([{ n: 3 }, first?.id])
  })
})
