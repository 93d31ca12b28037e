import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { demo } from '@rolecall/chat-sim'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '../apps/api/test/client.ts'
import { emptyDatabaseForTests } from '../apps/api/test/database-for-tests.ts'
import { type GivenProject, type GivenSession, givenProject, givenSession } from '../apps/api/test/given.ts'
import { redisForTests } from '../apps/api/test/process-for-tests.ts'
import { type Relay, startRelay } from '../apps/api/test/relay.ts'
import { startWorld, type World } from '../apps/api/test/service.ts'
import { checkRules, ensurePrometheus, type Prometheus, quickened, startPrometheus } from './prometheus.ts'

const file = (path: string) => fileURLToPath(new URL(`../deploy/${path}`, import.meta.url))
const rulesFile = file('prometheus/alerts.yml')
const rules = readFileSync(rulesFile, 'utf8')
const alertNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}
const dashboard = JSON.parse(readFileSync(file('grafana/rolecall.json'), 'utf8')) as Dashboard

// All tests share one service and one Prometheus. Each test causes a fault and ends it.
describe('the alerts of deploy/ in a real Prometheus', () => {
  let world: World
  const redis = redisForTests()
  let network: Relay
  const database = emptyDatabaseForTests('postgres')
  let prometheus: Prometheus
  let project: GivenProject
  let session: GivenSession
  /** Sessions that are not in memory, so that their validation needs the database. */
  let unasked: GivenSession[]
  const seen = new Set<string>()
  const startedAt = Date.now()

  beforeAll(async () => {
    ensurePrometheus()
    network = await startRelay(database.url)
    const throughNetwork = new URL(database.url)
    throughNetwork.port = new URL(network.url).port
    world = await startWorld(
      'postgres',
      { CACHE_URL: redis.url, RATE_LIMIT_GLOBAL: '300', CHAT_GATEWAY: 'on' },
      { url: throughNetwork.href, drop: async () => {} },
    )
    world.service.deps.liveMirror.start()
    project = await givenProject(world)
    session = await givenSession(world, project)
    unasked = await Promise.all(Array.from({ length: 150 }, () => givenSession(world, project)))
    await vi.waitFor(() => expect(world.service.deps.chatFigures().gateway).toBe('connected'), 20_000)
    prometheus = await startPrometheus(new URL(world.url).host, rules)
  })
  afterAll(async () => {
    await prometheus?.stop()
    await world?.close()
    await network?.close()
  })

  /** Actions that repeat while a fault lasts. */
  const running: { stop: () => void; done: Promise<unknown> }[] = []
  const repeat = (everyMs: number, act: () => unknown) => {
    const timer = setInterval(() => void Promise.resolve(act()).catch(() => {}), everyMs)
    running.push({ stop: () => clearInterval(timer), done: Promise.resolve() })
  }
  afterEach(async () => {
    network.delay(0)
    for (const { stop, done } of running.splice(0)) {
      stop()
      await done
    }
  })

  const ask = (key: string, token = session.token) =>
    call(world.url, 'POST', '/api/auth/validate', { key, body: { token } })
  /** Waits until each alert has fired at least once. They need not fire at the same time. */
  const untilFiring = (...wanted: string[]) => {
    const fired = new Set<string>()
    return vi.waitFor(
      async () => {
        for (const name of await prometheus.firing()) fired.add(name)
        expect([...fired]).toEqual(expect.arrayContaining(wanted))
        for (const name of wanted) seen.add(name)
      },
      { timeout: 30_000, interval: 200 },
    )
  }

  test('the rules are valid', () => {
    expect(checkRules(rulesFile)).toContain(`${alertNames.length} rules found`)
  })

  test('a healthy service at rest is quiet', async () => {
    await vi.waitFor(async () => expect(await prometheus.scrapes()).toBeGreaterThan(10), {
      timeout: 40_000,
      interval: 200,
    })
    expect(await prometheus.seriesWithin('ALERTS{alertstate="firing"}', 60)).toBe(0)
  })

  test('a server that cannot be read, changes that wait for a row, and few new sessions', async () => {
    const { gateway } = world.sim
    /** The platform reports the remaining starts with each new session, not with each resumed one. */
    const beginAnew = () => {
      gateway.forgetSessions()
      gateway.refuse(2_500)
      gateway.dropAll()
    }
    const untilConnected = () =>
      vi.waitFor(() => expect(world.service.deps.chatFigures().gateway).toBe('connected'), 30_000)
    world.sim.failFor('members', { status: 503 }, 60_000)
    beginAnew()
    await untilFiring('RolecallServerNotLive')
    await untilConnected()
    const { db } = world.service.deps
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { ada } = demo.users
    const held = db.transaction(async (tx) => {
      await tx.query({ text: 'select from members where id = $1 for update', values: [ada] })
      await released
    })
    running.push({ stop: release, done: Promise.allSettled([held]) })
    world.sim.world.updateUser(ada, { global_name: 'Ada waits' })
    await untilFiring('RolecallGatewayLag')
    world.sim.clearFaults()
    gateway.leaveSessionStarts(50)
    beginAnew()
    await untilFiring('RolecallGatewaySessionsLow')
    gateway.leaveSessionStarts(900)
    beginAnew()
    await vi.waitFor(() => expect(world.service.deps.chatFigures().sessionsLeft).toBeGreaterThan(800), 30_000)
    await untilConnected()
  })

  test('a bot that was taken out of its server', async () => {
    world.sim.world.kickBot(demo.mainGuildId)
    await untilFiring('RolecallBotNotInServer')
    world.sim.world.inviteBot(demo.mainGuildId)
  })

  test('guessing, a platform that refuses us and then is away, and a queue that no worker empties', async () => {
    const { db, chat } = world.service.deps
    const busy = await givenProject(world)
    await Promise.all(Array.from({ length: 310 }, () => ask(busy.key)))
    repeat(50, () => ask(`${project.key.slice(0, -1)}${project.key.endsWith('0') ? '1' : '0'}`))
    await db.query({
      text: `insert into deliveries (kind, project_id, type, data, queued_at)
        values ('notice', $1, 'test', '{"text":"x"}', clock_now() - interval '3 hours')`,
      values: [project.id],
    })
    world.sim.failNext('*', { status: 401 }, { times: 1_000, auth: 'bot' })
    repeat(100, () => chat.bot())
    await untilFiring('RolecallCredentialGuessing', 'RolecallQueueStuck', 'RolecallPlatformRefuses')
    await world.sim.down()
    await untilFiring('RolecallPlatformUnavailable', 'RolecallRolesNotLive')
    await db.query({ text: 'delete from deliveries', values: [] })
    await world.sim.up()
  })

  test('logouts that clients are not told of, and one that a client does not take', async () => {
    const { db, deliveries } = world.service.deps
    const insert = (uri: string, attempts: number, next: string) =>
      db.query({
        text: `insert into deliveries (kind, project_id, member_id, type, data, attempts, queued_at, next_attempt_at)
          values ('logout', $1, $2, 'logout', jsonb_build_object('sessionId', gen_random_uuid(), 'uri', $3::text), $4,
            clock_now() - interval '1 hour', clock_now() + $5::interval)`,
        values: [project.id, demo.users.ada, uri, attempts, next],
      })
    // One delivery without an attempt, and one with an attempt, to an address without a server.
    await insert('https://client.example/logout', 0, '1 hour')
    await insert('http://127.0.0.1:9/logout', 1, '0 s')
    deliveries.start()
    await call(world.url, 'GET', '/oidc/me')
    await call(world.url, 'GET', '/api/forward-auth')
    await untilFiring('RolecallLogoutsLate', 'RolecallLogoutsRefused')
    await db.query({ text: 'delete from deliveries', values: [] })
  })

  test('something that holds up the event loop', async () => {
    // Blocks once between any two scrapes.
    repeat(450, () => {
      const until = performance.now() + 250
      while (performance.now() < until);
    })
    await untilFiring('RolecallEventLoopBlocked')
  })

  test('a database that is slow makes validate slow', async () => {
    network.delay(350)
    repeat(250, () => ask(project.key, unasked.pop()?.token))
    await untilFiring('RolecallValidateSlow', 'RolecallValidateBudgetFast')
  })

  test('a cache that hangs', async () => {
    redis.pause()
    repeat(100, () => call(world.url, 'GET', '/api/health'))
    await untilFiring('RolecallCacheDown')
    // The health endpoint responds with 503. No other caller got an error.
    const before = await prometheus.scrapes()
    await vi.waitFor(async () => expect(await prometheus.scrapes()).toBeGreaterThan(before + 4), 20_000)
    expect(await prometheus.firing()).not.toContain('RolecallErrors')
    redis.resume()
  })

  test('connections that are all held, so that others wait', async () => {
    const { db } = world.service.deps
    const { key } = project
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const held = Promise.allSettled(
      Array.from({ length: db.pool().max }, () => db.transaction(() => released)),
    )
    running.push({ stop: release, done: held })
    repeat(100, () => call(world.url, 'GET', `/api/servers/${demo.mainGuildId}/members`, { key }))
    await untilFiring('RolecallConnectionsExhausted')
  })

  test('a database that is away: answers 5xx, and more records waiting than usual', async () => {
    network.cut()
    const { key } = project
    repeat(100, () => call(world.url, 'GET', `/api/servers/${demo.mainGuildId}/members`, { key }))
    for (let i = 0; i < 10_500; i++)
      world.service.recorder.countUsage(`GET /made/up/${i}`, undefined, 200, -1)
    await untilFiring('RolecallDatabaseDown', 'RolecallErrors', 'RolecallRecordsLost')
    await untilFiring('RolecallErrorBudgetFast', 'RolecallErrorBudgetSlow')
    network.mend()
  })

  test('once all is mended, all but what the platform has forbidden for a while is quiet', async () => {
    await vi.waitFor(
      async () =>
        expect((await prometheus.firing()).filter((name) => !/Platform|NotLive/.test(name))).toEqual([]),
      { timeout: 30_000, interval: 200 },
    )
  })

  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  )
  test.each(queries)('the panel "%s" shows something: %s', async (_, expr) => {
    const query = quickened(
      expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m').replaceAll('$__range', '5m'),
    )
    expect(await prometheus.seriesWithin(query, (Date.now() - startedAt) / 1_000)).toBeGreaterThan(0)
  })

  test('a service that does not answer, and with it each alert has fired once', async () => {
    await world.service.close()
    await untilFiring('RolecallUnreachable')
    expect([...seen].sort()).toEqual([...alertNames].sort())
  })
})
