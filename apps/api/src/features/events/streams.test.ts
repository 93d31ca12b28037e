import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { clean } from '../../../test/clean.ts'
import { call } from '../../../test/client.ts'
import { createDatabase, mainEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import { startWorld } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { openDatabase } from '../../platform/db/open-database.ts'
import { sql } from '../../platform/db/sql.ts'
import { createEventHub, type Listener } from './event-hub.ts'
import { openStream } from './open-stream.ts'
import { createVouching } from './vouching.ts'

describe.each(mainEngines)('streams of events on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })

  const logout = ({ key }: GivenProject, token: string) =>
    call(world.url, 'POST', '/api/auth/logout', { key, body: { token } })

  test('end when their instance stops, which does not wait for them', async () => {
    if (engine === 'pglite') return
    const project = await givenProject(world)
    const own = await world.another()
    const readers = [await openEvents(own.url, project), await openEvents(own.url, project)]
    const from = performance.now()
    await own.close()
    await Promise.all(readers.map(({ ended }) => ended))
    expect(performance.now() - from).toBeLessThan(5_000)
  })

  test('tell of what happens at this and at another instance within 200 ms', async () => {
    const project = await givenProject(world)
    const url = engine === 'pglite' ? world.url : (await world.another()).url
    const { token } = await givenSession(world, project)
    const id = (await validate(world, project, token)).body.session.id
    const here = await openEvents(world.url, project)
    const there = await openEvents(url, project)
    const late: number[] = []
    for (let i = 0; i < 30; i++) {
      const from = performance.now()
      await world.service.deps.db.execute(sql`update sessions set token_digest = ${`t${i}`} where id = ${id}`)
      for (const reader of [here, there]) {
        await expect.poll(() => reader.events.length, { interval: 1 }).toBe(i + 1)
        late.push(performance.now() - from)
      }
    }
    here.close()
    there.close()
    // The median: a busy machine can be late now and then. The benchmark has the figures.
    expect(late.sort((a, b) => a - b)[30]).toBeLessThan(200)
  })

  test('wait for no transaction of another database of the same server', async () => {
    if (engine === 'pglite') return
    const other = await createDatabase('postgres')
    const neighbour = await openDatabase(other.url)
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    await neighbour.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      const early = await openEvents(world.url, project)
      const late = await openEvents(world.url, project)
      await logout(project, token)
      await early.until('session.revoked')
      await late.until('session.revoked')
      early.close()
      late.close()
    })
    await neighbour.close()
    await other.drop()
  })

  test('vouch for nothing while the outbox cannot be read, and then go on with what happened', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    const reader = await openEvents(world.url, project, { heartbeat: 1 })
    const { db } = world.service.deps
    await db.script('alter table outbox rename to outbox_away')
    await expect.poll(() => reader.heartbeats.length - new Set(reader.heartbeats).size).toBeGreaterThan(0)
    await db.script('alter table outbox_away rename to outbox')
    await logout(project, token)
    await reader.until('session.revoked')
    reader.close()
  })

  test('are so many for each project and no more', async () => {
    const hub = createEventHub(world.service.deps)
    const listener = (projectId: string): Listener => ({ projectId, receive() {}, heartbeat() {}, end() {} })
    const mine = Array.from({ length: 2_000 }, () => listener('mine'))
    expect(mine.every((one) => hub.open(one))).toBe(true)
    const asked = { lastEventId: undefined, heartbeatMs: 15_000, isKeyValid: async () => true }
    const caller = { projectId: 'mine', keyDigest: '', bucket: 'key:x' }
    await expect(openStream({ ...world.service.deps, hub }, caller, asked)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    })
    expect(hub.open(listener('theirs'))).toBe(true)
    hub.remove(mine[0] as Listener)
    expect(hub.open(listener('mine'))).toBe(true)
    hub.close()
  })

  test('have their events trimmed after a day and an hour, and not before', async () => {
    const project = await givenProject(world)
    const { db } = world.service.deps
    await db.execute(sql`
      insert into outbox (project_id, type, data, created_at)
      select ${project.id}, 'reset', '{}', clock_now() - age
      from (values (interval '24 hours 50 minutes'), (interval '25 hours 10 minutes')) as x (age)`)
    await clean(world)
    const rows = await db.query<{ hours: number }>(sql`
      select extract(epoch from clock_now() - created_at)::float8 / 3600 as hours
      from outbox where project_id = ${project.id}`)
    expect(rows.map(({ hours }) => Math.floor(hours))).toEqual([24])
  })
})

test('a client that does not read is cut off, and reads on where it was when it comes back', async () => {
  const world = await startWorld('postgres')
  const project = await givenProject(world)
  const reader = await openEvents(world.url, project)
  reader.close()
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1').pause()
  let isClosed = false
  socket
    .once('error', () => socket.destroy())
    .once('close', () => {
      isClosed = true
    })
  socket.write(`GET /api/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${project.key}\r\n\r\n`)
  const before = process.memoryUsage().rss
  // 48 MB: more than the network buffers of a machine hold.
  const count = 24_000
  await world.service.deps.db.execute(sql`
    insert into outbox (project_id, type, data)
    select ${project.id}, 'member.roles_changed', jsonb_build_object('n', n, 'padding', repeat('x', 2000))
    from generate_series(1, ${count}) n`)
  let next = 1
  let lastId = reader.lastId()
  while (next <= count) {
    const again = await openEvents(world.url, project, { lastId })
    const wanted = Math.min(10_000, count - next + 1)
    await expect.poll(() => again.events.length, { interval: 20 }).toBeGreaterThanOrEqual(wanted)
    again.close()
    for (const { id, data } of again.events) {
      expect(data).toMatchObject({ n: next })
      next += 1
      lastId = id
    }
  }
  // A client that does not read does not see the end either; it notices the end when it sends.
  const notice = () => {
    if (!isClosed) socket.write('\r\n')
    return isClosed
  }
  await expect.poll(notice, { interval: 100, timeout: 20_000 }).toBe(true)
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024)
  await world.close()
})

describe('vouching', () => {
  const look = (horizon: number, end: number, isAll = true) => ({
    horizon: BigInt(horizon),
    end: BigInt(end),
    isAll,
  })

  test('is for a look itself when nothing was under way', () => {
    expect(createVouching().advance(1_000, look(5, 5))).toBe(1_000)
  })

  test('waits for transactions that were under way, and goes on as they end', () => {
    const { advance } = createVouching()
    advance(0, look(5, 5))
    expect(advance(1_000, look(5, 8))).toBe(0)
    expect(advance(2_000, look(7, 9))).toBe(0)
    // Everything before the end of the read at 1,000 has been read; everything before that of the read at 2,000 has
    // not.
    expect(advance(3_000, look(8, 12))).toBe(1_000)
    expect(advance(4_000, look(12, 14))).toBe(3_000)
    expect(advance(5_000, look(14, 14))).toBe(5_000)
  })

  test('is withheld while there is more to read', () => {
    const { advance } = createVouching()
    advance(0, look(5, 5))
    expect(advance(1_000, look(9, 9, false))).toBe(0)
  })

  test('remembers no more than it needs, however long a transaction takes', () => {
    const { advance } = createVouching()
    for (let i = 0; i < 10_000; i++) advance(i * 1_000, look(5, 10 + i))
    expect(advance(10_000_000, look(20_000, 20_000))).toBe(10_000_000)
  })
})
