import { demo, type Fault, type RouteName } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { whileCollecting } from '../../../../../tools/collect-garbage.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  countRows,
  givenAdmin,
  openLogin,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** The faults that count as an outage: a retry may succeed. */
const outages: Record<string, Fault> = {
  'a 500': { status: 500 },
  'a 502 of a proxy': { status: 502, html: true },
  'a 503': { status: 503 },
  'a 429 that is repeated': { status: 429, retryAfterSec: 1 },
  'a 429 of the network’s edge, without headers': { status: 429, headerless: true },
  'a 429 that is not even JSON': { status: 429, plain1015: true },
  'a connection that is cut': { reset: true },
}

/** Invalid responses: a retry does not help. */
const garbage: Record<string, Fault> = {
  'a page in place of JSON': { html200: true },
  'half of the JSON': { truncate: true },
}

const routes: readonly RouteName[] = ['token', 'me', 'member']

describe.each(mainEngines)('a login while the platform is in trouble on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  afterEach(() => world.sim.clearFaults())

  test('logs one line a minute without a stack, however many logins fail', async () => {
    const { url, logs } = await world.another()
    const begun = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const browser = new Browser(url)
        return { browser, back: await atPlatform(await openLogin(browser, authorizePath(project.id))) }
      }),
    )
    await world.sim.down()
    try {
      for (const { browser, back } of begun) expect((await browser.get(back)).status).toBe(302)
    } finally {
      await world.sim.up()
    }
    const told = logs.lines.filter((line) => /"level":[45]0/.test(line) && !line.includes('"request failed"'))
    expect(told.filter((line) => line.includes('sign-ins fail: Discord is unavailable'))).toHaveLength(1)
    expect(told.filter((line) => line.includes('"stack"'))).toEqual([])
  }, 120_000)

  /** Expects this error within 5 s, and no code, session, or single sign-on. */
  const expectError = async (error: string, break_: () => unknown) => {
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, authorizePath(project.id)))
    const before = await countRows(world, 'authorization_codes')
    await break_()
    const since = performance.now()
    const end = await browser.get(back)
    const took = performance.now() - since
    await world.sim.up()
    world.sim.clearFaults()
    const {
      error: found,
      state,
      iss,
    } = Object.fromEntries(new URL(end.headers.get('location') ?? world.url).searchParams)
    expect({ found, state, iss }).toEqual({ found: error, state: 'project-state', iss: world.url })
    expect(took).toBeLessThan(5_000)
    expect(browser.jar.has('svc_sso')).toBe(false)
    expect(await countRows(world, 'authorization_codes')).toBe(before)
    // Nothing of it stays: the next sign-in succeeds as usual.
    expect((await walkLogin(world, authorizePath(project.id))).searchParams.has('code')).toBe(true)
  }
  const failing = (route: RouteName, fault: Fault) => () => world.sim.failNext(route, fault, { times: 10 })

  test.each(Object.keys(outages))('%s is temporarily_unavailable, at every step', async (name) => {
    for (const route of routes) {
      await expectError('temporarily_unavailable', failing(route, outages[name] as Fault))
    }
  })

  test('a platform that cannot be reached at all is temporarily_unavailable', async () => {
    await expectError('temporarily_unavailable', () => world.sim.down())
  })

  test.each(Object.keys(garbage))('%s is server_error, at every step', async (name) => {
    for (const route of routes) await expectError('server_error', failing(route, garbage[name] as Fault))
  })

  test('refusals of the platform are server_error: bad code, lost permission, unknown server, dead bot', async () => {
    await expectError('server_error', () => world.sim.oauth.expireCodes())
    await expectError('server_error', failing('member', { status: 403, code: 50_001 }))
    await expectError('server_error', failing('member', { status: 404, code: 10_004 }))
    await expectError('server_error', failing('member', { status: 401 }))
  })

  test('a token that dies right after the exchange is server_error', async () => {
    world.sim.oauth.killTokensAfterExchange(true)
    const end = await walkLogin(world, authorizePath(project.id))
    world.sim.oauth.killTokensAfterExchange(false)
    expect(end.searchParams.get('error')).toBe('server_error')
  })

  test('a grant without the right to see who it is, is server_error', async () => {
    world.sim.oauth.grantScopes(['email'])
    const end = await walkLogin(world, authorizePath(project.id))
    world.sim.oauth.grantScopes(undefined)
    expect(end.searchParams.get('error')).toBe('server_error')
  })

  test('an unrequested ID token disturbs no sign-in', async () => {
    world.sim.oauth.includeIdToken(true)
    const end = await walkLogin(world, authorizePath(project.id))
    world.sim.oauth.includeIdToken(false)
    expect(end.searchParams.has('code')).toBe(true)
  })

  test('the platform’s code is sent to it once, for any response', async () => {
    world.sim.journal.clear()
    await expectError('temporarily_unavailable', failing('token', { status: 503 }))
    // One for the failed sign-in, and one for the sign-in that proved the recovery.
    expect(world.sim.journal.count('token')).toBe(2)
  })

  test('an admin login meets an outage with a 503 page that asks for patience, and a console stays usable', async () => {
    const browser = new Browser(world.url)
    const screen = await openLogin(browser, '/api/auth/admin/login')
    const back = await atPlatform(screen, { as: demo.users.mara })
    failing('token', { status: 503 })()
    const reply = await browser.get(back)
    expect(reply.status).toBe(503)
    expect(reply.body.code).toBe('CHAT_PLATFORM_UNAVAILABLE')
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    world.sim.clearFaults()
    expect(await givenAdmin(world)).toMatch(/^rcs_/)
  })

  test('a limit of a second at the exchange is waited out, by all who come meanwhile', async () => {
    world.sim.failNext('token', { status: 429, headerless: true, retryAfterSec: 1 })
    const browsers = Array.from({ length: 5 }, () => new Browser(world.url))
    const ends = await Promise.all(
      browsers.map((browser) => walkLogin(world, authorizePath(project.id), { browser })),
    )
    expect(ends.map((end) => end.searchParams.get('error'))).toEqual(Array(5).fill(null))
  })

  test('a storm of limits of a second, met by background work, stops no login for longer', async () => {
    const { chat } = world.service.deps
    // Thirty in a minute open the circuit; all but the last of them may be shorter.
    world.sim.failNext('member', { status: 429, headerless: true, retryAfterSec: 0.1 }, { times: 25 })
    world.sim.failNext('member', { status: 429, headerless: true, retryAfterSec: 1 }, { times: 35 })
    const storm = async () => {
      while (!chat.budget().open.some(({ name }) => name === 'rate'))
        await chat.member(demo.mainGuildId, demo.users.ada, 'background').catch(() => {})
    }
    await Promise.all(Array.from({ length: 20 }, storm))
    world.sim.clearFaults()
    const since = performance.now()
    expect((await walkLogin(world, authorizePath(project.id))).searchParams.has('code')).toBe(true)
    expect(performance.now() - since).toBeLessThan(5_000)
  })

  // The test measures waiting times that do not depend on the database: one engine is enough.
  if (engine === 'postgres') {
    test.each<[string, RouteName, Fault]>([
      ['at once', 'member', { delayMs: 20_000 }],
      ['in the middle of a token', 'token', { slowBody: true }],
      ['in the middle of a profile', 'me', { slowBody: true }],
      ['in the middle of a member', 'member', { slowBody: true }],
    ])('a platform that hangs %s is given up on within 5 s', async (_, route, fault) => {
      await whileCollecting(500, expectError('temporarily_unavailable', failing(route, fault)))
    })
  }

  // Runs last: the platform's wait time is obeyed, so this instance has no sign-in for a while.
  test('a pause for everything is waited out when it is short, and told at once when it is long', async () => {
    world.sim.failNext('member', { status: 429, retryAfterSec: 1, scope: 'global' })
    expect((await walkLogin(world, authorizePath(project.id))).searchParams.has('code')).toBe(true)
    world.sim.failNext('member', { status: 429, retryAfterSec: 30, scope: 'global' })
    const since = performance.now()
    for (let i = 0; i < 2; i++) {
      const end = await walkLogin(world, authorizePath(project.id))
      expect(end.searchParams.get('error')).toBe('temporarily_unavailable')
    }
    // Two waits would take five seconds.
    expect(performance.now() - since).toBeLessThan(4_500)
  })
})
