import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { atPlatform, authorizePath, Browser, countRows } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'
import { sql } from '../../platform/db/sql.ts'
import { createLoginLimits } from './login-limits.ts'
import { claimAuthRequest, trimAuthRequests } from './store.ts'

/** The limit of sign-ins is a twentieth of the value set here, and at least 10. */
const limit = 10

describe.each(ciEngines)('what one address may begin, on %s', (engine) => {
  const world = worldForTests(engine, {
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_GLOBAL: '200',
    // Long enough that no test reaches its end.
    RATE_LIMIT_GLOBAL_TTL_MS: '3600000',
  })
  const project = projectForTests(world)

  const browserAt = (ip: string) => {
    const browser = new Browser(world.url)
    return { jar: browser.jar, get: (path: string) => browser.get(path, { 'x-forwarded-for': ip }) }
  }
  const ssoPath = () => authorizePath(project.id).replace('/authorize', '/sso/authorize')
  const logIn = async (ip: string, browser = browserAt(ip)) => {
    const screen = (await browser.get(authorizePath(project.id))).headers.get('location') ?? ''
    const end = await browser.get(await atPlatform(screen))
    return new URL(end.headers.get('location') ?? 'none:').searchParams.has('code')
  }

  test.each([
    ['/api/auth/authorize', () => authorizePath(project.id), '192.0.2.1'],
    ['/api/auth/sso/authorize', ssoPath, '192.0.2.2'],
    ['/api/auth/admin/login', () => '/api/auth/admin/login', '192.0.2.3'],
  ])('%s is refused once too many are begun and not completed, and leaves no row', async (_, path, ip) => {
    const statuses = []
    for (let i = 0; i < limit + 2; i++) statuses.push((await browserAt(ip).get(path())).status)
    expect(statuses).toEqual([...Array(limit).fill(302), 429, 429])
    const before = await countRows(world, 'auth_requests')
    const refused = await browserAt(ip).get(path())
    expect([refused.body.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
      'RATE_LIMITED',
      true,
    ])
    expect(await countRows(world, 'auth_requests')).toBe(before)
    // Another address is not affected.
    expect((await browserAt('192.0.2.99').get(path())).status).toBe(302)
  })

  test('all addresses of one IPv6 /64 are one', async () => {
    const statuses = []
    for (let i = 0; i <= limit; i++) {
      statuses.push((await browserAt(`2001:db8:1:2::${i}`).get(authorizePath(project.id))).status)
    }
    expect(statuses.at(-1)).toBe(429)
    expect((await browserAt('2001:db8:1:3::1').get(authorizePath(project.id))).status).toBe(302)
  })

  test('a callback is counted as well, and one that is refused may be opened again later', async () => {
    const ip = '192.0.2.4'
    const browsers = []
    for (let i = 0; i < limit; i++) {
      const browser = browserAt('192.0.2.5')
      const screen = (await browser.get(authorizePath(project.id))).headers.get('location') ?? ''
      browsers.push({ browser, back: await atPlatform(screen) })
    }
    // As many as may be open, with the cookies of another address.
    for (let i = 0; i < limit; i++) await browserAt(ip).get(authorizePath(project.id))
    const { browser, back } = browsers[0] as (typeof browsers)[0]
    const elsewhere = browserAt(ip)
    for (const [name, value] of browser.jar) elsewhere.jar.set(name, value)
    expect((await elsewhere.get(back)).status).toBe(429)
    expect((await browser.get(back)).status).toBe(429)
    // The request was not used up: from a third address, which has nothing open, it completes.
    const third = browserAt('192.0.2.6')
    for (const [name, value] of browser.jar) third.jar.set(name, value)
    const end = await third.get(back)
    expect(new URL(end.headers.get('location') ?? 'none:').searchParams.has('code')).toBe(true)
  })

  test('however many logins complete, none is refused: by the screen and without it', async () => {
    const ip = '192.0.2.7'
    for (let i = 0; i < limit * 3; i++) expect(await logIn(ip), `login ${i}`).toBe(true)
    const browser = browserAt(ip)
    await logIn(ip, browser)
    for (let i = 0; i < limit * 3; i++) {
      const end = await browser.get(ssoPath())
      expect(new URL(end.headers.get('location') ?? 'none:').searchParams.has('code')).toBe(true)
    }
  })

  test('a sign-in counts once, also where the single sign-on of the browser is over', async () => {
    const ip = '192.0.2.10'
    const statuses = []
    for (let i = 0; i <= limit; i++) {
      const browser = browserAt(ip)
      browser.jar.set('svc_sso', mintToken('sso'))
      statuses.push((await browser.get(ssoPath())).status)
    }
    expect(statuses).toEqual([...Array(limit).fill(302), 429])
  })

  test('who is no member has not completed', async () => {
    const ip = '192.0.2.8'
    const statuses = []
    for (let i = 0; i < limit; i++) {
      const browser = browserAt(ip)
      const start = await browser.get(authorizePath(project.id))
      if (start.status === 302) {
        const back = await atPlatform(start.headers.get('location') ?? '', { as: demo.users.emil })
        await browser.get(back)
      }
      statuses.push(start.status)
    }
    expect(statuses).toContain(429)
  })

  test('a callback knows how many milliseconds ago its sign-in began, and so in which period it was counted', async () => {
    const { db } = world.service.deps
    const [state, browser] = ['state of an old sign-in', 'its browser']
    await db.execute(sql`
      insert into auth_requests (id, browser_digest, chat_state, chat_code_verifier, server_id, redirect_uri, address,
        expires_at)
      values (gen_random_uuid(), ${browser}, ${state}, 'v', ${demo.mainGuildId}, '/', 'address:old',
        clock_now() + interval '10 minutes')`)
    const claimed = await later(world.service, 300, () => claimAuthRequest(db, state, [browser]))
    expect(claimed?.ageMs).toBeGreaterThanOrEqual(300_000)
    expect(claimed?.ageMs).toBeLessThan(600_000)
  })

  describe('what a flood leaves behind', () => {
    const insert = (address: string, count: number, ageSec: number) =>
      world.service.deps.db.execute(sql`
        insert into auth_requests (id, browser_digest, chat_state, chat_code_verifier, server_id, redirect_uri,
          address, created_at, expires_at)
        select gen_random_uuid(), md5(random()::text || i), md5(random()::text || i), 'v', ${demo.mainGuildId}, '/',
          ${address}, clock_now() - (${ageSec}::int + i) * interval '1 millisecond', clock_now() + interval '1 minute'
        from generate_series(1, ${count}::int) i`)
    const countOf = async (address: string) =>
      (
        await world.service.deps.db.maybeOne<{ n: number }>(
          sql`select count(*) as n from auth_requests where address = ${address}`,
        )
      )?.n

    test('pushes out itself, oldest first, and never who began a few', async () => {
      const { db } = world.service.deps
      await db.execute(sql`delete from auth_requests`)
      await insert('address:honest', 5, 60_000)
      await insert('address:flood', 500, 0)
      await trimAuthRequests(db, 100)
      expect(await countRows(world, 'auth_requests')).toBe(100)
      expect(await countOf('address:honest')).toBe(5)
      const newest = await db.maybeOne<{ ageMs: number }>(sql`
        select (extract(epoch from clock_now() - min(created_at)) * 1000)::float8 as "ageMs"
        from auth_requests where address = 'address:flood'`)
      expect(newest?.ageMs).toBeLessThan(60_000)
      await trimAuthRequests(db, 100)
      expect(await countRows(world, 'auth_requests')).toBe(100)
    })

    test('is looked for after every thousand logins that begin', async () => {
      const { db } = world.service.deps
      await db.execute(sql`delete from auth_requests`)
      await insert('address:flood', 500, 0)
      const limiter = {
        consume: expect.fail,
        timeAgo: () => expect.fail(),
        refund: expect.fail,
        headers: () => ({}),
      }
      const limits = createLoginLimits({ db, limiter, maxAuthRequests: 300 })
      for (let i = 0; i < 999; i++) await limits.countStored()
      expect(await countRows(world, 'auth_requests')).toBe(500)
      await limits.countStored()
      expect(await countRows(world, 'auth_requests')).toBe(300)
      await db.execute(sql`delete from auth_requests`)
    })
  })
})
