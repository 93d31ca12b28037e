import { describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { atPlatform, authorizePath, Browser, countRows, openLogin } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('GET /api/auth/callback refuses on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  /** Returns a browser that has just come from the platform, and the path that it is about to open. */
  const returning = async () => {
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, authorizePath(project.id)))
    return { browser, back }
  }
  const withState = (back: string, state: string) => back.replace(/state=[^&]*/, `state=${state}`)

  /** Expects 400 without a redirect, and no code, session, or single sign-on. */
  const expectRefused = async (browser: Browser, path: string, code = 'LOGIN_REQUEST_INVALID') => {
    const before = await countRows(world, 'authorization_codes')
    const asked = world.sim.journal.count('token')
    const reply = await browser.get(path)
    expect({ status: reply.status, code: reply.body?.code }).toEqual({ status: 400, code })
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.text).not.toContain('site.example')
    expect(await countRows(world, 'authorization_codes')).toBe(before)
    expect(world.sim.journal.count('token')).toBe(asked)
    expect(browser.jar.has('svc_sso')).toBe(false)
  }

  test('a state that is missing, empty, wrong, or too long', async () => {
    const { browser, back } = await returning()
    await expectRefused(browser, back.replace(/&state=[^&]*/, ''), 'VALIDATION_FAILED')
    await expectRefused(browser, withState(back, ''), 'VALIDATION_FAILED')
    await expectRefused(browser, withState(back, 'x'.repeat(257)), 'VALIDATION_FAILED')
    await expectRefused(browser, withState(back, 'x'.repeat(43)))
    // None of these consumed the sign-in.
    expect((await browser.get(back)).status).toBe(302)
  })

  test('code or state sent twice', async () => {
    const { browser, back } = await returning()
    await expectRefused(browser, `${back}&code=other`, 'VALIDATION_FAILED')
    await expectRefused(browser, `${back}&state=other`, 'VALIDATION_FAILED')
    expect((await browser.get(back)).status).toBe(302)
  })

  // Login CSRF: the attacker's own code and state, sent to the victim's browser.
  test('the state of another browser, also of one that has a login of its own under way', async () => {
    const attacker = await returning()
    await expectRefused(new Browser(world.url), attacker.back)
    const victim = await returning()
    await expectRefused(victim.browser, attacker.back)
    expect((await victim.browser.get(victim.back)).status).toBe(302)
  })

  test('a cookie that is made up, or of the right browser but changed by one character', async () => {
    const { browser, back } = await returning()
    const { jar } = browser
    const secret = jar.get('svc_auth_req') ?? ''
    const forged = new Browser(world.url)
    for (const value of ['', 'x', `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`]) {
      forged.jar.set('svc_auth_req', value)
      await expectRefused(forged, back)
    }
  })

  // A sibling subdomain can set a cookie for the parent domain, and the service cannot tell which of two is its own.
  test('two cookies of the name, in either order', async () => {
    const { browser, back } = await returning()
    const attacker = await returning()
    const [ours, theirs] = [browser, attacker.browser].map(
      (one) => `svc_auth_req=${one.jar.get('svc_auth_req')}`,
    )
    for (const cookie of [`${ours}; ${theirs}`, `${theirs}; ${ours}`, `${ours}; ${ours}`]) {
      const tossed = new Browser(world.url)
      const reply = await tossed.get(back, { cookie })
      expect(reply.status).toBe(400)
      expect(reply.headers.get('location')).toBeNull()
    }
  })

  test('a second use, as the first one’s answer may have been seen by someone', async () => {
    const { browser, back } = await returning()
    const { cookie } = browser
    expect((await browser.get(back)).status).toBe(302)
    const replay = new Browser(world.url)
    expect((await replay.get(back, { cookie })).status).toBe(400)
    await expectRefused(new Browser(world.url), back)
  })

  test('a login that was opened more than ten minutes ago', async () => {
    const { browser, back } = await returning()
    await later(world.service, 601, () => expectRefused(browser, back))
    const inTime = await returning()
    await later(world.service, 590, async () =>
      expect((await inTime.browser.get(inTime.back)).status).toBe(302),
    )
  })

  // RFC 9207: a response of another issuer does not belong to this request (mix-up).
  test('an answer that names another issuer, and the login is still good for the right one', async () => {
    const { browser, back } = await returning()
    const iss = encodeURIComponent(world.sim.url)
    for (const other of ['https%3A%2F%2Fevil.example', `${iss}%2F`, `${iss}.evil.example`, '']) {
      await expectRefused(browser, back.replace(/iss=[^&]*/, `iss=${other}`))
    }
    expect((await browser.get(back)).status).toBe(302)
  })

  test('the oldest of six logins in one browser: it keeps five', async () => {
    const browser = new Browser(world.url)
    const backs: string[] = []
    for (let i = 0; i < 6; i++) {
      backs.push(await atPlatform(await openLogin(browser, authorizePath(project.id, { state: `tab-${i}` }))))
    }
    await expectRefused(browser, backs[0] as string)
    for (const back of backs.slice(1)) expect((await browser.get(back)).status).toBe(302)
  })

  // A developer often opens the service at localhost, while its PUBLIC_URL is 127.0.0.1. Neither has the cookies of the
  // other, and another start there changes nothing.
  test('a browser without the cookie gets a page that names the address to sign in at', async () => {
    const { back } = await returning()
    const page = await new Browser(world.url).get(back, { accept: 'text/html' })
    expect(page.text).toContain('PUBLIC_URL')
  })

  test('a browser gets a page that keeps nothing, loads nothing and cannot be framed', async () => {
    const { back } = await returning()
    const page = await new Browser(world.url).get(back, { accept: 'text/html' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('This sign-in started in another browser, has expired, or was already used.')
    expect(page.text).not.toMatch(/\b(src|href)=/)
    const code = new URLSearchParams(back.split('?')[1]).get('code') ?? 'none'
    expect(page.text).not.toContain(code)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('neither code nor error is an error of the platform, told to the project', async () => {
    const { browser, back } = await returning()
    const end = await browser.get(back.replace(/code=[^&]*&/, ''))
    expect(new URL(end.headers.get('location') ?? '').searchParams.get('error')).toBe('server_error')
  })
})
