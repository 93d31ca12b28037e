import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(ciEngines)('monitoring on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', STATS_TTL_MS: '300000' })
  const admin = adminForTests(world)

  const read = (path: string, query = '') =>
    call(world.url, 'GET', `/api/admin/monitoring/${path}${query}`, admin)

  describe('GET /api/admin/monitoring/health', () => {
    test('says that all is well, with every documented part', async () => {
      const { body } = await read('health')
      expect(body).toMatchObject({
        status: 'ok',
        api: { instances: [{ isSelf: true, leadsGateway: false }] },
        chatPlatform: { status: 'up', problem: null, gateway: 'off', lastEventAt: null },
        database: { status: 'up' },
        cache: { status: 'up' },
      })
      expect(body.chatPlatform.latencyMs).toBeGreaterThan(0)
      expect(body.database.pool.total).toBeGreaterThan(0)
      expect(body.chatPlatform.rest).toMatchObject({ invalidRequests: 0, breaker: [] })
    })

    test('names a platform that does not answer, and one that refuses our token', async () => {
      await world.sim.down()
      await askPlatform()
      const { body } = await read('health')
      expect(body).toMatchObject({ status: 'degraded', chatPlatform: { status: 'down' } })
      expect(body.chatPlatform.problem).toEqual(expect.any(String))
      await world.sim.up()
      world.sim.failNext('*', { status: 401 }, { times: 2 })
      await askPlatform()
      expect((await read('health')).body.chatPlatform).toMatchObject({
        status: 'down',
        rest: { invalidRequests: 2 },
      })
      // A request sends a new ping as long as the last one got no response.
      expect((await read('health')).body.status).toBe('ok')
    })

    const askPlatform = () => world.service.deps.chat.bot().catch(() => {})
  })

  describe('GET /api/admin/monitoring/usage', () => {
    beforeEach(() => world.service.recorder.flush())

    test('counts each request once, by minute, project, route and status', async () => {
      const project = await givenProject(world)
      const session = await givenSession(world, project)
      for (let i = 0; i < 3; i++) await validate(world, project, session.token)
      await validate(world, project, mintToken('session'))
      await world.service.recorder.flush()
      const { body } = await read('usage', `?projectId=${project.id}`)
      const counts = (status: number) =>
        body.data
          .filter((row: Row) => row.route === 'POST /api/auth/validate' && row.status === status)
          .reduce((sum: number, { count }: Row) => sum + count, 0)
      expect([counts(200), counts(401)]).toEqual([3, 1])
      expect(body).toMatchObject({ limit: 1_000, offset: 0, total: body.data.length })
      expect(body.data.every((row: Row) => row.projectId === project.id)).toBe(true)
    })

    test('of the last hour unless a period is asked for, newest first, in pages', async () => {
      const { db } = world.service.deps
      await db.execute(sql`delete from usage_minutes`)
      await db.execute(sql`
        insert into usage_minutes
        select date_trunc('minute', clock_now()) - i * interval '19 minutes', ${noProject}, 'GET /x', 200, i + 1
        from generate_series(0, 5) i`)
      const recent = (await read('usage')).body.data.filter(isOurs)
      expect(recent.map(({ count }: Row) => count)).toEqual([1, 2, 3, 4])
      const day = new Date(Date.now() - 86_400_000).toISOString()
      // Requests of this test are counted in the current minute, which this period does not contain.
      const before = new Date(Date.now() - 600_000).toISOString()
      const page = (await read('usage', `?from=${day}&to=${before}&limit=2&offset=1`)).body
      expect(page.data.map(({ count }: Row) => count)).toEqual([3, 4])
      expect(page.data[0].projectId).toBeNull()
      expect((await read('usage', `?to=${day}`)).body).toMatchObject({ data: [], total: 0 })
      expect((await read('usage', `?from=2026-01-02&to=2026-01-01`)).body.errors).toMatchObject([
        { path: '/to', code: 'RANGE' },
      ])
    })

    const noProject = '00000000-0000-0000-0000-000000000000'
    const isOurs = ({ route }: Row) => route === 'GET /x'
  })

  describe('GET /api/admin/monitoring/auth-failures', () => {
    test('lists rejected credentials with all their fields, newest first, by every filter', async () => {
      const { db } = world.service.deps
      await world.service.recorder.flush()
      await db.execute(sql`delete from auth_failures`)
      const project = await givenProject(world)
      await call(world.url, 'POST', '/api/auth/validate?secret=1', {
        body: {},
        headers: named('request-one'),
      })
      await call(world.url, 'GET', '/api/auth/sessions', { token: 'garbage', headers: named('request-two') })
      const key = mintToken('apiKey')
      await call(world.url, 'POST', '/api/auth/logout', { key, body: {}, headers: named('request-three') })
      await call(world.url, 'POST', '/api/auth/validate', {
        key: project.key,
        body: { token: mintToken('session') },
        headers: named('request-four'),
      })
      await world.service.recorder.flush()
      const { body } = await read('auth-failures')
      expect(body).toMatchObject({ total: 4, limit: 50, offset: 0 })
      expect(new Set(body.data.map(idOf))).toEqual(
        new Set(['request-four', 'request-three', 'request-two', 'request-one']),
      )
      expect(body.data.find((row: Failure) => row.requestId === 'request-one')).toMatchObject({
        kind: 'api_key',
        reason: 'missing',
        address: '127.0.0.1',
        path: '/api/auth/validate',
        projectId: null,
        keyPrefix: null,
      })
      const moments = body.data.map(({ at }: Failure) => at)
      expect(moments).toEqual(moments.toSorted().toReversed())

      const ids = async (query: string) => (await read('auth-failures', query)).body.data.map(idOf).sort()
      expect(await ids('?kind=session')).toEqual(['request-four', 'request-two'])
      expect(await ids('?reason=malformed')).toEqual(['request-two'])
      expect(await ids(`?projectId=${project.id}`)).toEqual(['request-four'])
      expect(await ids(`?keyPrefix=${key.slice(0, 12)}`)).toEqual(['request-three'])
      expect(await ids('?address=192.0.2.1')).toEqual([])
      expect(await ids(`?dateFrom=${moments[0]}`)).toContain(idOf(body.data[0]))
      expect(await ids('?dateTo=2026-01-01')).toEqual([])
      expect(await ids('?limit=3&offset=3')).toHaveLength(1)
      expect((await read('auth-failures', '?limit=501')).status).toBe(400)

      const seen: string[] = []
      for (let next = '?limit=3'; next !== ''; ) {
        const page = (await read('auth-failures', next)).body
        seen.push(...page.data.map(idOf))
        next = page.nextCursor === null ? '' : `?limit=3&cursor=${page.nextCursor}`
      }
      expect(seen).toEqual(body.data.map(idOf))
      await db.execute(sql`
        update auth_failures set member_id = ${demo.users.ada} where request_id = 'request-four'`)
      expect(await ids(`?memberId=${demo.users.ada}`)).toEqual(['request-four'])
    })

    const named = (id: string) => ({ 'x-request-id': id })
    const idOf = ({ requestId }: Failure) => requestId
  })

  describe('GET /api/admin/monitoring/stats', () => {
    const change = (body: object) => call(world.url, 'PATCH', '/api/admin/settings', { ...admin, body })

    test('counts members, who is active, sessions and projects, and keeps the answer for statsTtlMs', async () => {
      const before = (await read('stats')).body
      expect(before.memberActivityThresholdDays).toBe(30)
      const project = await givenProject(world)
      await givenSession(world, project, demo.users.ada)
      // Cached: later changes do not show.
      expect((await read('stats')).body).toEqual(before)

      await change({ cache: { statsTtlMs: 0 } })
      const after = (await read('stats')).body
      expect(after.projects).toBe(before.projects + 1)
      expect(after.sessions).toBe(before.sessions + 1)
      expect(after.members).toBeGreaterThanOrEqual(after.activeMembers)
      expect(after.activeMembers).toBeGreaterThanOrEqual(1)
    })

    test('a member who came back longer ago than the threshold is not active', async () => {
      await change({ cache: { statsTtlMs: 0 }, preferences: { memberActivityThresholdDays: 2 } })
      const soon = (await read('stats')).body
      expect(soon.activeMembers).toBeGreaterThan(0)
      await world.service.deps.db.execute(sql`
        update member_activity set seen_at = clock_now() - interval '3 days' where member_id = ${demo.users.ada}`)
      expect((await read('stats')).body.activeMembers).toBe(soon.activeMembers - 1)
      await change({ preferences: { memberActivityThresholdDays: 4 } })
      expect((await read('stats')).body.activeMembers).toBe(soon.activeMembers)
    })

    test('a refresh is a sign of activity, though the session is old', async () => {
      await change({ cache: { statsTtlMs: 0 }, preferences: { memberActivityThresholdDays: 1 } })
      const project = await givenProject(world)
      const { token: session, refreshToken } = await givenSession(world, project, demo.users.ada)
      const active = await later(world.service, 2 * 86_400, async () => {
        await call(world.url, 'POST', '/api/auth/token/refresh', { token: session, body: { refreshToken } })
        return world.service.deps.db.maybeOne(sql`
          select 1 as is_active from member_activity
          where member_id = ${demo.users.ada} and seen_at > clock_now() - interval '1 minute'`)
      })
      expect(active).toBeDefined()
    })
  })
})

interface Row {
  readonly route: string
  readonly status: number
  readonly projectId: string | null
  readonly count: number
}

interface Failure {
  readonly requestId: string
  readonly at: string
}

describe('several instances', () => {
  const world = worldForTests('postgres')
  const administrator = adminForTests(world)

  const health = async () =>
    (await call(world.url, 'GET', '/api/admin/monitoring/health', administrator)).body
  const instances = async () => (await health()).api.instances as Instance[]

  test('each sees all, says which one it is, and one that stops is gone at once', async () => {
    const other = await world.another()
    await expect.poll(async () => (await instances()).length).toBe(2)
    expect((await instances()).filter(({ isSelf }) => isSelf)).toHaveLength(1)
    await other.close()
    expect(await instances()).toHaveLength(1)
  })

  test('the one that leads the gateway is known to all, and so is when it last heard of a change', async () => {
    const other = await world.another()
    other.deps.liveMirror.start()
    world.service.deps.liveMirror.start()
    await expect.poll(async () => (await health()).chatPlatform.gateway).toBe('connected')
    await expect
      .poll(async () => (await instances()).filter(({ leadsGateway }) => leadsGateway).length)
      .toBe(1)
    world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.captain])
    await expect.poll(async () => (await health()).chatPlatform.lastEventAt).toEqual(expect.any(String))
    expect(await health()).toMatchObject({ status: 'ok', chatPlatform: { status: 'up', problem: null } })
    await other.deps.liveMirror.close()
    await world.service.deps.liveMirror.close()
    await other.close()
  })
})

interface Instance {
  readonly isSelf: boolean
  readonly leadsGateway: boolean
}
