import { createHash, randomBytes } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { Browser, givenAdmin, walkLogin } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const same = { 'sec-fetch-site': 'same-origin' }

describe.each(mainEngines)('the console’s session on %s', (engine) => {
  const world = worldForTests(engine)

  const codeOf = (end: URL) => new URLSearchParams(end.hash.slice(1)).get('code') ?? ''
  /** Returns a browser at the end of an admin sign-in, with its code. */
  const arrived = async (more: Record<string, string> = {}, browser = new Browser(world.url)) => {
    const path = `/api/auth/admin/login?${new URLSearchParams({ return_to: '/console/', ...more })}`
    return { browser, code: codeOf(await walkLogin(world, path, { browser, as: demo.users.mara })) }
  }
  const token = (body: object, headers: Record<string, string> = {}) =>
    call(world.url, 'POST', '/api/auth/admin/token', { body, headers })
  const redeem = ({ browser, code }: { browser: Browser; code: string }, more = {}) =>
    token({ code, cookie: true, ...more }, { ...same, cookie: browser.cookie })
  const cookiesOf = (reply: { headers: Headers }) =>
    reply.headers
      .getSetCookie()
      .map((line) => line.split(';')[0] ?? '')
      .join('; ')
  const loggedIn = async () => cookiesOf(await redeem(await arrived()))
  const ask = (method: string, path: string, cookie: string, more: object = {}, headers: object = same) =>
    call(world.url, method, path, { ...more, headers: { cookie, ...headers } })
  const refresh = (cookie: string, body: object = {}) =>
    ask('POST', '/api/auth/token/refresh', cookie, { body })

  describe('POST /api/auth/admin/token with cookie: true', () => {
    test('puts both tokens into cookies, and neither into the body', async () => {
      const reply = await redeem(await arrived())
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.body).sort()).toEqual(['expiresAt', 'member', 'roles'])
      expect(reply.text).not.toMatch(/rc[sr]_/)
      expect(reply.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^svc_admin=rcs_[0-9A-Za-z]{49}; Max-Age=43200; Path=\/api; HttpOnly; SameSite=Strict$/,
        ),
        expect.stringMatching(
          /^svc_admin_refresh=rcr_[0-9A-Za-z]{49}; Max-Age=43200; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
        ),
      ])
    })

    test('takes the browser that began the login: a code that went astray is refused and not used up', async () => {
      const victim = await arrived()
      const stranger = await arrived()
      for (const cookie of ['', stranger.browser.cookie, 'svc_auth_req=x']) {
        const reply = await token({ code: victim.code, cookie: true }, { ...same, cookie })
        expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_CODE'])
      }
      expect((await redeem(victim)).status).toBe(200)
    })

    test('two tabs of one browser may log in at once, and both complete', async () => {
      const first = await arrived()
      const second = await arrived({}, first.browser)
      expect((await redeem(first)).status).toBe(200)
      expect((await redeem(second)).status).toBe(200)
    })

    test('is only for pages of this very origin: at the exchange, and at every use', async () => {
      const elsewhere: Record<string, string>[] = [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${world.url}.evil.example` },
        { 'sec-fetch-site': 'cross-site', origin: world.url },
      ]
      const { browser, code } = await arrived()
      for (const headers of elsewhere) {
        const reply = await token({ code, cookie: true }, { ...headers, cookie: browser.cookie })
        expect(reply.body.code).toBe('CROSS_SITE_REQUEST')
      }
      // None of these consumed the code.
      const cookie = cookiesOf(await redeem({ browser, code }))
      for (const headers of elsewhere) {
        for (const path of ['/api/auth/admin/logout', '/api/auth/token/refresh']) {
          const reply = await ask('POST', path, cookie, { body: {} }, headers)
          expect(reply.body.code).toBe('CROSS_SITE_REQUEST')
        }
      }
      expect((await ask('GET', '/api/auth/sessions', cookie)).status).toBe(200)
      expect((await ask('GET', '/api/auth/sessions', cookie, {}, { origin: world.url })).status).toBe(200)
    })

    test('two cookies of the name are none', async () => {
      const cookie = await loggedIn()
      expect((await ask('GET', '/api/auth/sessions', `${cookie}; ${cookie}`)).status).toBe(401)
    })
  })

  describe('a login with code_challenge', () => {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')

    test.each([{}, { code_challenge_method: 'S256' }])('takes the verifier: %j', async (method) => {
      const login = await arrived({ code_challenge: challenge, ...method })
      const { code } = login
      expect((await token({ code })).body.code).toBe('CHALLENGE_WITHOUT_VERIFIER')
      expect((await token({ code, codeVerifier: 'a'.repeat(43) })).body.code).toBe('INVALID_CODE')
      expect((await redeem(login, { codeVerifier: 'a'.repeat(43) })).status).toBe(401)
      expect((await token({ code, codeVerifier: verifier })).body.token).toMatch(/^rcs_/)
    })

    test('takes the browser as well where cookies are asked for', async () => {
      const login = await arrived({ code_challenge: challenge })
      const { code } = login
      expect((await token({ code, cookie: true, codeVerifier: verifier }, same)).status).toBe(401)
      expect((await redeem(login, { codeVerifier: verifier })).status).toBe(200)
    })

    test('a verifier for a code that never had a challenge is refused, and so are other methods', async () => {
      expect((await token({ code: (await arrived()).code, codeVerifier: verifier })).status).toBe(401)
      for (const query of ['code_challenge=x', 'code_challenge_method=S256', 'code_challenge_method=plain']) {
        expect((await call(world.url, 'GET', `/api/auth/admin/login?${query}`)).status).toBe(400)
      }
    })
  })

  describe('POST /api/auth/token/refresh by cookie', () => {
    test('replaces both cookies, and tells no more than how long they are good', async () => {
      const old = await loggedIn()
      const reply = await refresh(old)
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.body)).toEqual(['expiresAt'])
      const next = cookiesOf(reply)
      expect(next).toMatch(/^svc_admin=rcs_\w+; svc_admin_refresh=rcr_\w+$/)
      expect((await ask('GET', '/api/auth/sessions', old)).status).toBe(401)
      expect((await ask('GET', '/api/auth/sessions', next)).status).toBe(200)
      // The request has no parameters, so it needs no body.
      expect((await ask('POST', '/api/auth/token/refresh', next)).status).toBe(200)
    })

    test('a pair that came in cookies is never in a body, even when its refresh token is sent in one', async () => {
      const { token: bearer, refreshToken } = (await token({ code: (await arrived()).code })).body
      const reply = await refresh(`svc_admin=${bearer}`, { refreshToken })
      expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['expiresAt']])
    })

    test('401 without its cookie, 400 with a Bearer token and nothing', async () => {
      const [admin = ''] = (await loggedIn()).split('; ')
      expect((await refresh(admin)).body.code).toBe('INVALID_REFRESH_TOKEN')
      const bearer = await givenAdmin(world)
      const reply = await call(world.url, 'POST', '/api/auth/token/refresh', { token: bearer, body: {} })
      expect([reply.status, reply.body.errors]).toMatchObject([400, [{ path: '/refreshToken' }]])
    })

    test('a sibling’s late try is superseded, and a used pair later on ends the session', async () => {
      const old = await loggedIn()
      const next = cookiesOf(await refresh(old))
      expect((await refresh(old)).body.code).toBe('REFRESH_TOKEN_SUPERSEDED')
      await later(world.service, 31, async () => {
        expect((await refresh(old)).body.code).toBe('REFRESH_TOKEN_REUSED')
        expect((await ask('GET', '/api/auth/sessions', next)).status).toBe(401)
      })
    })
  })

  describe('in the audit log and among the failures', () => {
    const entries = () =>
      world.service.deps.db.query<{ action: string; ip: string | null; requestId: string | null }>(sql`
        select action, ip, request_id as "requestId" from audit_log
        where action_type = 'auth' and actor_id = ${demo.users.mara} order by seq desc limit 2`)
    const failures = async (kind: string, reason: string) => {
      await world.service.recorder.flush()
      return world.service.deps.db.query(
        sql`select path from auth_failures where kind = ${kind} and reason = ${reason}`,
      )
    }

    test('login and logout are told, each by one entry', async () => {
      const cookie = await loggedIn()
      await ask('POST', '/api/auth/admin/logout', cookie)
      const told = await entries()
      expect(told.map(({ action }) => action)).toEqual(['admin.logout', 'admin.login'])
      for (const { ip, requestId } of told) expect([ip, typeof requestId]).toEqual(['127.0.0.1', 'string'])
    })

    test('a login of who is no System Admin is a recorded failure, and so is a callback that comes back', async () => {
      await expect(walkLogin(world, '/api/auth/admin/login', { as: demo.users.ada })).rejects.toThrow(
        'NOT_SYSTEM_ADMIN',
      )
      expect(await failures('admin', 'admin_login')).toHaveLength(1)

      const browser = new Browser(world.url)
      const screen = (await browser.get('/api/auth/admin/login')).headers.get('location') ?? ''
      const answer = await fetch(`${screen}&login_as=${demo.users.mara}&auto=1`, { redirect: 'manual' })
      const back = new URL(answer.headers.get('location') ?? '')
      const { cookie } = browser
      expect((await browser.get(back.pathname + back.search)).status).toBe(302)
      const replay = await call(world.url, 'GET', back.pathname + back.search, { headers: { cookie } })
      expect(replay.status).toBe(400)
      expect(await failures('code', 'replayed')).toHaveLength(1)
    })
  })

  test('POST /api/auth/admin/logout takes both cookies back and has the browser forget the site, but not single sign-on', async () => {
    const login = await arrived()
    const cookie = cookiesOf(await redeem(login))
    const reply = await ask('POST', '/api/auth/admin/logout', `${cookie}; ${login.browser.cookie}`)
    expect(reply.body).toEqual({ success: true })
    expect(reply.headers.get('clear-site-data')).toBe('"cache", "storage"')
    expect(reply.headers.getSetCookie()).toEqual([
      'svc_admin=; Max-Age=0; Path=/api; HttpOnly; SameSite=Strict',
      'svc_admin_refresh=; Max-Age=0; Path=/api/auth; HttpOnly; SameSite=Strict',
    ])
    expect((await ask('GET', '/api/auth/sessions', cookie)).status).toBe(401)
    expect((await refresh(cookie)).status).toBe(401)
    const { sessions } = (
      await call(world.url, 'GET', '/api/auth/sessions', { token: await givenAdmin(world) })
    ).body
    expect(sessions.filter(({ kind }: { kind: string }) => kind === 'sso').length).toBeGreaterThan(1)
  })
})
