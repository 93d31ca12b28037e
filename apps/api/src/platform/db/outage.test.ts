import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../../../test/client.ts'
import { emptyDatabaseForTests } from '../../../test/database-for-tests.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  type GivenProject,
  type GivenSession,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  openLogin,
  redirectUri,
  validate,
} from '../../../test/given.ts'
import { type PostgresServer, startMigratedPostgres } from '../../../test/postgres.ts'
import { type Relay, startRelay } from '../../../test/relay.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { openDatabase } from './open-database.ts'

/** The holdings of a blameless caller. An outage must never report them as invalid. */
interface Holdings {
  project: GivenProject
  session: GivenSession
  admin: string
  code: string
  browser: Browser
  back: string
}

describe('a PostgreSQL that goes away', () => {
  let postgres: PostgresServer
  let world: World
  let held: Holdings
  beforeAll(async () => {
    postgres = await startMigratedPostgres()
    world = await startWorld(
      'postgres',
      { PERMISSION_TTL_MS: '3600000' },
      { url: postgres.url, drop: async () => {} },
    )
    const project = await givenProject(world)
    const browser = new Browser(world.url)
    held = {
      project,
      session: await givenSession(world, project),
      admin: await givenAdmin(world),
      code: await givenCode(world, project),
      browser,
      back: await atPlatform(await openLogin(browser, authorizePath(project.id))),
    }
  })
  afterAll(async () => {
    await world.close()
    await postgres.stop()
  })

  /** Returns the requests of sign-in and sessions that need the database, with valid credentials. */
  const asking = (): Record<string, () => Promise<Reply<{ code?: string }>>> => {
    const { project, session, admin, code, browser, back } = held
    const { key } = project
    const post = (path: string, options: object) => () => call(world.url, 'POST', path, options)
    const get =
      (path: string, options: object = {}) =>
      () =>
        call(world.url, 'GET', path, options)
    return {
      exchange: post('/api/auth/token', { key, body: { clientId: project.id, code, redirectUri } }),
      validate: post('/api/auth/validate', { key, body: { token: session.token } }),
      logout: post('/api/auth/logout', { key, body: { token: session.token } }),
      'logout-all': post('/api/auth/logout-all', { key, body: { memberId: '480844663499128837' } }),
      sessions: get('/api/auth/sessions', { token: session.token }),
      revoke: () =>
        call(world.url, 'DELETE', '/api/auth/sessions/01890000-0000-7000-8000-000000000000', {
          token: admin,
        }),
      refresh: post('/api/auth/token/refresh', {
        token: session.token,
        body: { refreshToken: session.refreshToken },
      }),
      authorize: get(authorizePath(project.id)),
      callback: get(back, { headers: { cookie: browser.cookie } }),
      chat: get('/api/auth/chat', { headers: { cookie: browser.cookie } }),
      'sso authorize': get(authorizePath(project.id).replace('/authorize', '/sso/authorize')),
      'admin login': get('/api/auth/admin/login'),
      'admin token': post('/api/auth/admin/token', { body: { code } }),
    }
  }

  const expectUnavailable = async (withinMs: number) => {
    const answers = await Promise.all(
      Object.entries(asking()).map(async ([name, ask]) => {
        const since = performance.now()
        const { status, body, headers } = await ask()
        return {
          name,
          status,
          code: (body as { code?: string } | undefined)?.code,
          retryAfter: headers.get('retry-after'),
          isInTime: performance.now() - since < withinMs,
        }
      }),
    )
    const expected = { status: 503, code: 'DATABASE_UNAVAILABLE', retryAfter: '2', isInTime: true }
    expect(answers).toEqual(answers.map(({ name }) => ({ name, ...expected })))
  }

  const expectHealthSaysSo = async () => {
    const since = performance.now()
    const health = await call(world.url, 'GET', '/api/health')
    expect(performance.now() - since).toBeLessThan(2_000)
    expect({ status: health.status, ...health.body }).toMatchObject({
      status: 'degraded',
      database: 'down',
      cache: 'up',
    })
    expect(health.status).toBe(503)
    expect((await call(world.url, 'GET', '/api/health/live')).status).toBe(200)
    expect((await call(world.url, 'GET', '/api/health/ready')).body).toEqual({
      status: 'not_ready',
      reason: 'database down',
    })
  }

  /** Expects recovery within 2 s, without the loss of any acknowledged change. */
  const expectRecovery = async () => {
    const since = performance.now()
    await expect
      .poll(async () => (await validate(world, held.project, held.session.token)).status, {
        timeout: 5_000,
        interval: 20,
      })
      .toBe(200)
    expect(performance.now() - since).toBeLessThan(2_000)
    expect((await call(world.url, 'GET', '/api/auth/sessions', { token: held.admin })).status).toBe(200)
    expect((await call(world.url, 'GET', '/api/health')).body).toMatchObject({ status: 'ok', database: 'up' })
  }

  test('stopped: 503 with Retry-After within 2 s and never 401; health answers; back within 2 s of its return', async () => {
    await postgres.down()
    await expectUnavailable(2_000)
    await expectHealthSaysSo()
    await postgres.start()
    await expectRecovery()
  })

  test('killed while requests are under way: they are answered, and no acknowledged session is lost', async () => {
    const sessions = [held.session]
    const working = (async () => {
      while (sessions.length < 200) {
        const made = await givenSession(world, held.project).catch(() => undefined)
        if (!made) return
        sessions.push(made)
      }
    })()
    await expect.poll(() => sessions.length, { timeout: 10_000 }).toBeGreaterThan(5)
    await postgres.down('kill')
    await working
    await expectUnavailable(2_000)
    // An absence shorter than three refusals is no outage, and PostgreSQL is back sooner on a fast machine.
    await expectHealthSaysSo()
    await postgres.start()
    await expectRecovery()
    for (const { token } of sessions) expect((await validate(world, held.project, token)).status).toBe(200)
  })

  test('hung: 503 in less than 5 s, and no connection stays lost once it goes on', async () => {
    postgres.pause()
    try {
      // The cache is served until the lease has ended: a database that is silent for a moment is not gone.
      await expect.poll(() => world.service.deps.answers.isLeased(), { timeout: 2_500 }).toBe(false)
      await expectUnavailable(5_000)
      await expectUnavailable(5_000)
      await expectHealthSaysSo()
    } finally {
      postgres.resume()
    }
    await expectRecovery()
    // More at once than there are connections: none was leaked.
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => call(world.url, 'GET', '/api/auth/sessions', { token: held.admin })),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('read-only: what writes is 503 and says why, what reads goes on, health names it, and it ends by itself', async () => {
    const { project, session, admin } = held
    const server = new pg.Client({
      connectionString: postgres.url,
      options: '-c default_transaction_read_only=off',
    })
    await server.connect()
    const isTold = (line: string) => world.service.logs.lines.some((one) => one.includes(line))
    const post = (path: string, options: object) => call(world.url, 'POST', path, options)
    try {
      await server.query('alter system set default_transaction_read_only = on')
      await server.query('select pg_reload_conf()')
      await expect
        .poll(async () => (await call(world.url, 'GET', '/api/health')).body, { timeout: 5_000 })
        .toMatchObject({ status: 'degraded', database: 'up', reason: 'database read-only' })
      const writes = [
        await post('/api/auth/logout', { key: project.key, body: { token: session.token } }),
        await post('/api/auth/token/refresh', {
          token: session.token,
          body: { refreshToken: session.refreshToken },
        }),
        await call(world.url, 'GET', authorizePath(project.id)),
      ]
      for (const { status, headers, body } of writes) {
        expect([status, headers.get('retry-after')]).toEqual([503, '2'])
        expect(body).toMatchObject({
          code: 'DATABASE_UNAVAILABLE',
          detail: expect.stringContaining('The database is read-only right now. Nothing can be changed.'),
        })
      }
      expect((await validate(world, project, session.token)).status).toBe(200)
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token: session.token })).status).toBe(200)
      const ready = await call(world.url, 'GET', '/api/health/ready')
      expect([ready.status, ready.body]).toEqual([200, { status: 'ready', reason: 'database read-only' }])
      const detail = await call(world.url, 'GET', '/api/admin/monitoring/health', { token: admin })
      expect(detail.body).toMatchObject({
        status: 'degraded',
        database: { status: 'up', problem: expect.stringContaining('it is a standby, or') },
      })
      const metrics = await (await fetch(`${world.url}/metrics`)).text()
      expect(metrics).toContain('rolecall_database_read_only 1\n')
    } finally {
      await server.query('alter system reset default_transaction_read_only')
      await server.query('select pg_reload_conf()')
      await server.end()
    }
    await expect.poll(() => isTold('"msg":"database writable again"'), { timeout: 5_000 }).toBe(true)
    await expectRecovery()
  })

  test('connections that are cut cost no request: the next one gets another', async () => {
    const { db } = world.service.deps
    const cutter = await openDatabase(postgres.url)
    const ask = () => db.query({ text: 'select 1', values: [] })
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: db.pool().max }, ask))
      const cut = cutter.query({
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'rolecall' and pid <> pg_backend_pid() and state = 'idle'`,
        values: [],
      })
      // Some of these are in transit to a connection that is cut just then.
      for (let n = 0; n < 10; n++)
        await (round % 2 ? ask() : db.transaction((tx) => tx.query({ text: 'select 1', values: [] })))
      await cut
      await ask()
    }
    await cutter.close()
    await expectRecovery()
  })

  test('a database whose connections are all in use is up, and its health does not wait for one', async () => {
    const { db } = world.service.deps
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const begun: Promise<void>[] = []
    const holders = Array.from({ length: db.pool().max }, () => {
      let began = () => {}
      begun.push(
        new Promise((resolve) => {
          began = resolve
        }),
      )
      return db.transaction(async () => {
        began()
        await released
      })
    })
    try {
      await Promise.all(begun)
      expect(db.pool()).toMatchObject({ idle: 0 })
      const waiting = db.query({ text: 'select 1', values: [] })
      expect(db.pool().waiting).toBeGreaterThan(0)
      const health = await call(world.url, 'GET', '/api/health')
      expect([health.status, health.body]).toMatchObject([200, { database: 'up' }])
      expect((await call(world.url, 'GET', '/api/health/ready')).status).toBe(200)
      release()
      await waiting
    } finally {
      release()
      await Promise.all(holders)
    }
  })

  test('asking after the database is no one who waits for a connection', async () => {
    const { db } = world.service.deps
    const asked = Array.from({ length: 5 }, () => db.ping())
    const read = db.query({ text: 'select 1', values: [] })
    expect(db.pool().waiting).toBe(0)
    await Promise.all([...asked, read])
  })

  test('the log tells of each outage and of each return once, without a secret, and not for each request', () => {
    const { lines, leaks } = world.service.logs
    expect(leaks).toEqual([])
    const told = lines.map((line) => /"msg":"(database [^",:]*)/.exec(line)?.[1]).filter(Boolean)
    // Stopped, killed, hung, read-only; cut connections were no outage.
    const outage = ['database unreachable', 'database reachable again']
    const readOnly = ['database read-only', 'database writable again']
    expect(told).toEqual([...outage, ...outage, ...outage, ...readOnly])
    expect(lines.filter((line) => /"level":(40|50|60)/.test(line)).length).toBeLessThan(20)
  })
})

describe('a PostgreSQL that comes back on a starved host', () => {
  let network: Relay
  const database = emptyDatabaseForTests('postgres')
  let world: World
  beforeAll(async () => {
    network = await startRelay(database.url)
    const through = new URL(database.url)
    through.port = new URL(network.url).port
    world = await startWorld('postgres', {}, { url: through.href, drop: async () => {} })
  })
  afterAll(async () => {
    await world?.close()
    await network?.close()
  })

  const isUp = async () => (await call(world.url, 'GET', '/api/health')).body.database

  test.each([1, 2, 5])(
    'and takes %i s for a connection is used again',
    async (seconds) => {
      const project = await givenProject(world)
      const { token } = await givenSession(world, project)
      network.cut()
      await expect.poll(isUp).toBe('down')
      network.delayConnections(seconds * 1_000)
      network.mend()
      const status = async () => (await validate(world, project, token)).status
      await expect.poll(status, { timeout: 30_000, interval: 100 }).toBe(200)
      expect(await isUp()).toBe('up')
      // Requests find connections, too, and not only the health check.
      const statuses = await Promise.all(Array.from({ length: 5 }, status))
      network.delayConnections(0)
      expect(statuses).toEqual([200, 200, 200, 200, 200])
    },
    60_000,
  )

  test('and fails requests for a moment only leaves a line in the log', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    const { url, logs } = await world.another()
    network.cut()
    const asked = Array.from({ length: 20 }, () => call(url, 'GET', '/api/auth/sessions', { token }))
    expect((await Promise.race(asked)).status).toBe(503)
    network.mend()
    await Promise.all(asked)
    const lines = () => logs.lines.join('')
    await expect.poll(lines).toMatch(/"reason":".*"msg":"(statements failed while|database unreachable)/)
  })

  test('is asked by one part while it is away, and requests are refused without waiting', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    network.cut()
    network.delayConnections(3_000)
    await expect.poll(isUp).toBe('down')
    const before = network.connections()
    // The attempt of the prober hangs throughout.
    network.mend()
    await expect.poll(() => network.connections(), { timeout: 5_000 }).toBeGreaterThan(before)
    const opened = network.connections()
    const statuses = new Set<number>()
    for (let i = 0; i < 200; i++) statuses.add((await validate(world, project, token)).status)
    expect([...statuses]).toEqual([503])
    expect(network.connections() - opened).toBeLessThan(20)
    network.delayConnections(0)
    await expect.poll(isUp, { timeout: 20_000 }).toBe('up')
  }, 60_000)
})
