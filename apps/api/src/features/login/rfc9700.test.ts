import { createHash, randomBytes } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  exchange,
  type GivenSession,
  givenCode,
  givenProject,
  givenSession,
  openLogin,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { credentialsIn } from '../../../test/secrets.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** The attacks of RFC 9700 (OAuth 2.0 Security Best Current Practice), one test for each section. */
describe.each(mainEngines)('RFC 9700 on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  const returning = async (path = authorizePath(project.id)) => {
    const browser = new Browser(world.url)
    return { browser, back: await atPlatform(await openLogin(browser, path)) }
  }
  const refresh = ({ token, refreshToken }: GivenSession) =>
    call(world.url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })

  test('§4.1 insufficient redirect URI validation: only the registered string itself will do', async () => {
    for (const uri of [
      'https://site.example/callback',
      'https://site.example/callback?keep=1&x',
      'https://site.example/callback?keep=2',
    ]) {
      const reply = await call(world.url, 'GET', authorizePath(project.id, { redirect_uri: uri }))
      expect(reply.status).toBe(403)
      expect(reply.headers.get('location')).toBeNull()
    }
  })

  test('§4.2 credential leakage via referrers: no address with a code is ever told on, and no page loads anything', async () => {
    const { browser, back } = await returning()
    const end = await browser.get(back)
    const page = await browser.get(back, { accept: 'text/html' })
    for (const reply of [end, page]) expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.text).not.toMatch(/\b(src|href|url)\s*[=(]/)
  })

  test('§4.3 credential leakage via browser history: tokens never travel in addresses, the code in one that is not kept', async () => {
    const { browser, back } = await returning()
    const end = await browser.get(back)
    expect(credentialsIn(end.headers.get('location') ?? '').map((one) => one.slice(0, 4))).toEqual(['rcc_'])
    expect(end.headers.get('cache-control')).toBe('no-store')
    const { token } = await givenSession(world, project)
    expect((await call(world.url, 'GET', `/api/auth/sessions?access_token=${token}`)).status).toBe(401)
  })

  test('§4.4 mix-up: an answer of another issuer is refused, and ours carries iss', async () => {
    const { browser, back } = await returning()
    expect((await browser.get(back.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example'))).status).toBe(400)
    expect((await walkLogin(world, authorizePath(project.id))).searchParams.get('iss')).toBe(world.url)
  })

  test('§4.5 authorization code injection: a stolen code is worth nothing without the verifier', async () => {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const code = await givenCode(world, project, demo.users.ada, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    expect((await exchange(world, project, code)).body.code).toBe('CHALLENGE_WITHOUT_VERIFIER')
    expect((await exchange(world, project, code, { codeVerifier: 'a'.repeat(43) })).status).toBe(401)
    // §4.8 PKCE downgrade: a verifier for a code that never had a challenge is rejected as well.
    const plain = await givenCode(world, project)
    expect((await exchange(world, project, plain, { codeVerifier: verifier })).status).toBe(401)
    expect((await exchange(world, project, code, { codeVerifier: verifier })).status).toBe(200)
  })

  test('§4.5 code injection towards the platform: the exchange proves with a verifier of the same login', async () => {
    const victim = await returning()
    const attacker = await returning()
    const stolen = new URLSearchParams(victim.back.split('?')[1]).get('code') ?? ''
    const end = await attacker.browser.get(attacker.back.replace(/code=[^&]*/, `code=${stolen}`))
    expect(end.headers.get('location')).toContain('error=server_error')
    expect(end.headers.get('location')).not.toContain('code=rcc_')
  })

  test('§4.7 cross-site request forgery: a callback only ends the login of the browser that began it', async () => {
    const attacker = await returning()
    const victim = await returning()
    expect((await victim.browser.get(attacker.back)).status).toBe(400)
    expect(victim.browser.jar.has('svc_sso')).toBe(false)
  })

  test('§4.10 misuse of stolen access tokens: one project’s token is nothing to another', async () => {
    const other = await givenProject(world)
    const { token } = await givenSession(world, project)
    const unknown = await validate(world, other, `${token.slice(0, 4)}${'0'.repeat(49)}`)
    const foreign = await validate(world, other, token)
    const { requestId: _, ...seen } = foreign.body
    expect(unknown.body).toMatchObject(seen)
    expect((await validate(world, project, token)).status).toBe(200)
  })

  test('§4.11 open redirection: no refusal goes to an address that was sent', async () => {
    const evil = 'https://evil.example/'
    const paths = [
      authorizePath(project.id, { redirect_uri: evil }),
      authorizePath('01890000-0000-7000-8000-000000000000', { redirect_uri: evil }),
      authorizePath(project.id, { redirect_uri: evil, prompt: 'none' }).replace(
        '/authorize',
        '/sso/authorize',
      ),
      `/api/auth/admin/login?return_to=${encodeURIComponent('//evil.example/')}`,
      `/api/auth/callback?state=x&code=y&redirect_uri=${encodeURIComponent(evil)}`,
    ]
    for (const path of paths) {
      const reply = await call(world.url, 'GET', path)
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.headers.get('location')).toBeNull()
    }
  })

  test('§4.12 307 redirect: browsers are sent on by 302 only, which never repeats a body', async () => {
    const { browser, back } = await returning()
    const sso = authorizePath(project.id).replace('/authorize', '/sso/authorize')
    const replies = [
      await new Browser(world.url).get(authorizePath(project.id)),
      await browser.get('/api/auth/chat'),
      await browser.get(back),
      await browser.get(sso),
      await browser.get('/api/auth/admin/login'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([302, 302, 302, 302, 302])
  })

  test('§4.14 refresh token replay: each is good once, and the second use ends the session', async () => {
    const first = await givenSession(world, project)
    const next = (await refresh(first)).body
    await later(world.service, 31, async () => {
      expect((await refresh(first)).body.code).toBe('REFRESH_TOKEN_REUSED')
      expect((await validate(world, project, next.accessToken)).status).toBe(401)
      expect(
        (await refresh({ ...first, token: next.accessToken, refreshToken: next.refreshToken })).status,
      ).toBe(401)
    })
  })

  test('§4.16 clickjacking: nothing of ours may be framed', async () => {
    const pages = [
      await call(world.url, 'GET', '/api/auth/authorize', { headers: { accept: 'text/html' } }),
      await call(world.url, 'GET', '/api/auth/callback?state=x', { headers: { accept: 'text/html' } }),
      await call(world.url, 'GET', authorizePath(project.id)),
      await call(world.url, 'GET', '/api/health'),
    ]
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  // RFC 6749 §4.1.2, on which RFC 9700 §4.5 builds.
  test('a code that comes back ends the session that it made', async () => {
    const code = await givenCode(world, project)
    const { token } = (await exchange(world, project, code)).body
    expect((await exchange(world, project, code)).status).toBe(401)
    expect((await validate(world, project, token)).status).toBe(401)
  })
})
