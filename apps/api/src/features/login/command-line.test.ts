import { createHash, randomBytes } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { atPlatform, Browser, openLogin, walkLogin } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const loopback = 'http://127.0.0.1:49152/callback'
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
const complete = { redirect_uri: loopback, state: 'state-of_the.shell~1', ...pkce }
const loginPath = (query: Record<string, string> = complete) =>
  `/api/auth/admin/login?${new URLSearchParams(query)}`
const without = (name: string) => Object.fromEntries(Object.entries(complete).filter(([one]) => one !== name))

/** Redirect URIs that lead elsewhere, or that a lenient check would accept as loopback. */
const hostile = [
  '',
  'http://127.0.0.1.evil.test:49152/callback',
  'http://127.0.0.1.evil.test/callback',
  'http://evil.test:49152/callback',
  'http://127.1:49152/callback',
  'http://127.0.0.2:49152/callback',
  'http://2130706433:49152/callback',
  'http://0x7f.0.0.1:49152/callback',
  'http://0177.0.0.1:49152/callback',
  'http://127.0.0.1.:49152/callback',
  'http://localhost:49152/callback',
  'http://[::ffff:127.0.0.1]:49152/callback',
  'http://[0:0:0:0:0:0:0:1]:49152/callback',
  'http://[::1%25lo]:49152/callback',
  'http://[::]:49152/callback',
  'http://user@127.0.0.1:49152/callback',
  'http://user:pass@127.0.0.1:49152/callback',
  'http://127.0.0.1:49152@evil.test/callback',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:/callback',
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:00080/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:99999999999/callback',
  'http://127.0.0.1:-1/callback',
  'http://127.0.0.1:49152',
  'http://127.0.0.1:49152/',
  'http://127.0.0.1:49152/callback/',
  'http://127.0.0.1:49152/callback/..',
  'http://127.0.0.1:49152//callback',
  'http://127.0.0.1:49152/Callback',
  'http://127.0.0.1:49152/other',
  'http://127.0.0.1:49152/callback?x=1',
  'http://127.0.0.1:49152/callback?',
  'http://127.0.0.1:49152/callback#x',
  'http://127.0.0.1:49152/callback#',
  'http://127.0.0.1:49152/%63allback',
  'http://%31%32%37.0.0.1:49152/callback',
  'http://127.0.0.1%2eevil.test:49152/callback',
  'http://127。0。0。1:49152/callback',
  'http:\\\\127.0.0.1:49152/callback',
  'http:127.0.0.1:49152/callback',
  '//127.0.0.1:49152/callback',
  ' http://127.0.0.1:49152/callback',
  'http://127.0.0.1:49152/callback\n',
  'http://127.0.0.1:49152/callback\u0000',
  'HTTP://127.0.0.1:49152/callback',
  'https://127.0.0.1:49152/callback',
  'ftp://127.0.0.1:49152/callback',
  'javascript://127.0.0.1:49152/callback',
  '/api/auth/admin/confirm',
  '/console/',
]

describe.each(ciEngines)('the login of a command line on %s', (engine) => {
  const world = worldForTests(engine)

  /** Walks to the confirmation page. */
  const arrived = async (query: Record<string, string> = complete) => {
    const browser = new Browser(world.url)
    const end = await walkLogin(world, loginPath(query), { browser, as: demo.users.mara })
    expect(end.origin + end.pathname).toBe(`${world.url}/api/auth/admin/confirm`)
    return { browser, page: end.pathname + end.search, request: end.searchParams.get('request') ?? '' }
  }
  type Arrived = Awaited<ReturnType<typeof arrived>>
  const answer = (
    { browser, request }: Arrived,
    what: 'confirm' | 'cancel',
    headers: Record<string, string> = {},
  ) =>
    call(world.url, 'POST', `/api/auth/admin/confirm?${new URLSearchParams({ request, answer: what })}`, {
      headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html', ...headers },
    })
  const redeem = (code: string, body: object = { codeVerifier: verifier }) =>
    call(world.url, 'POST', '/api/auth/admin/token', { body: { code, ...body } })
  const sentTo = ({ headers }: { headers: Headers }) => new URL(headers.get('location') ?? '')

  describe('GET /api/auth/admin/login', () => {
    test.each([loopback, 'http://127.0.0.1:1/callback', 'http://[::1]:65535/callback'])(
      'ends at %s with code, state and iss, after the page that names the command line and the account',
      async (redirectUri) => {
        const login = await arrived({ ...complete, redirect_uri: redirectUri })
        const page = await login.browser.get(login.page, { accept: 'text/html' })
        expect(page.status).toBe(200)
        expect(page.text).toContain('command line')
        expect(page.text).toContain(`of ${world.url} as Mara Lind (mara.lind)`)
        expect(page.text).not.toContain('rcc_')
        const target = redirectUri.includes('[') ? 'http:' : new URL(redirectUri).origin
        expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${target};`)

        const end = sentTo(await answer(login, 'confirm'))
        expect(end.href.startsWith(`${redirectUri}?`)).toBe(true)
        expect([...end.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])
        expect(end.searchParams.get('state')).toBe(complete.state)
        expect(end.searchParams.get('iss')).toBe(world.url)
        const code = end.searchParams.get('code') ?? ''
        expect((await redeem(code, {})).body.code).toBe('CHALLENGE_WITHOUT_VERIFIER')
        expect((await redeem(code)).body).toMatchObject({ member: { id: demo.users.mara } })
        expect((await redeem(code)).status).toBe(401)
      },
    )

    test('refuses every other redirect URI, naming it, and redirects nowhere', async () => {
      for (const redirectUri of hostile) {
        const reply = await call(world.url, 'GET', loginPath({ ...complete, redirect_uri: redirectUri }))
        expect([reply.status, reply.body.errors?.[0].path], JSON.stringify(redirectUri)).toEqual([
          400,
          '/redirect_uri',
        ])
        expect([reply.headers.get('location'), reply.headers.getSetCookie()]).toEqual([null, []])
      }
    })

    test('accepts no change of a redirect URI but another port', async () => {
      const change = fc.record({
        at: fc.nat(loopback.length),
        cut: fc.nat(3),
        put: fc.string({ unit: fc.constantFrom(...'0123456789./:@[]%#?\\abl'), maxLength: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(change, async ({ at, cut, put }) => {
          const redirectUri = loopback.slice(0, at) + put + loopback.slice(at + cut)
          const { status } = await call(
            world.url,
            'GET',
            loginPath({ ...complete, redirect_uri: redirectUri }),
          )
          const port = Number(/^http:\/\/127\.0\.0\.1:([1-9]\d*)\/callback$/.exec(redirectUri)?.[1])
          expect(status, redirectUri).toBe(port >= 1 && port <= 65_535 ? 302 : 400)
        }),
        { numRuns: 100 },
      )
    })

    test.each<[string, Record<string, string>, string]>([
      ['no state', without('state'), '/state'],
      ['an empty state', { ...complete, state: '' }, '/state'],
      ['a state with other characters', { ...complete, state: 'a b' }, '/state'],
      ['no challenge', without('code_challenge'), '/code_challenge'],
      ['no method', without('code_challenge_method'), '/code_challenge_method'],
      ['the method plain', { ...complete, code_challenge_method: 'plain' }, '/code_challenge_method'],
      ['return_to as well', { ...complete, return_to: '/' }, '/return_to'],
      ['response_mode as well', { ...complete, response_mode: 'page' }, '/redirect_uri'],
      ['another response_mode', { ...pkce, response_mode: 'query' }, '/response_mode'],
      ['response_mode=page without a challenge', { response_mode: 'page' }, '/code_challenge'],
      ['a state without redirect_uri', { ...pkce, state: 'x' }, '/redirect_uri'],
    ])('refuses %s, naming it', async (_, query, path) => {
      const reply = await call(world.url, 'GET', loginPath(query))
      expect(reply.status).toBe(400)
      expect(reply.body.errors.map((one: { path: string }) => one.path)).toContain(path)
    })

    test('shows a member without the admin role a page that starts the same login again', async () => {
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, loginPath()), { as: demo.users.ada })
      const reply = await browser.get(back, { accept: 'text/html' })
      expect([reply.status, reply.headers.get('location')]).toEqual([403, null])
      const again = /href="([^"]*admin\/login[^"]*)"/.exec(reply.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
      expect(Object.fromEntries(new URL(again, world.url).searchParams)).toEqual(complete)
    })
  })

  describe('the confirmation', () => {
    test('is good for one answer, and of two at the same time exactly one gets a code', async () => {
      const login = await arrived()
      const both = await Promise.all([answer(login, 'confirm'), answer(login, 'confirm')])
      expect(both.map(({ status }) => status).sort()).toEqual([302, 400])
      for (const what of ['confirm', 'cancel'] as const) expect((await answer(login, what)).status).toBe(400)
      expect((await login.browser.get(login.page)).body.code).toBe('LOGIN_REQUEST_INVALID')
    })

    test('belongs to the browser that began, and to pages of the service', async () => {
      const login = await arrived()
      const other = await arrived()
      for (const browser of [new Browser(world.url), other.browser]) {
        expect((await browser.get(login.page)).status).toBe(400)
        expect((await answer({ ...login, browser }, 'confirm')).status).toBe(400)
        expect((await answer({ ...login, browser }, 'cancel')).status).toBe(400)
      }
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await answer(login, 'confirm', { 'sec-fetch-site': site })).status).toBe(403)
      }
      expect((await login.browser.get(login.page, { 'sec-fetch-dest': 'iframe' })).status).toBe(403)
      expect((await answer(login, 'confirm')).status).toBe(302)
    })

    test('canceled, it sends access_denied with the state, and gives nothing any more', async () => {
      const login = await arrived()
      const end = sentTo(await answer(login, 'cancel'))
      expect(end.origin + end.pathname).toBe(loopback)
      expect(Object.fromEntries(end.searchParams)).toMatchObject({
        error: 'access_denied',
        state: complete.state,
        iss: world.url,
      })
      expect(end.searchParams.has('code')).toBe(false)
      expect((await answer(login, 'confirm')).status).toBe(400)
    })

    test('that was not given leaves nothing to redeem', async () => {
      const { request } = await arrived()
      expect((await redeem(request)).status).toBe(401)
    })

    test('gives a code that is good for a minute', async () => {
      const code = sentTo(await answer(await arrived(), 'confirm')).searchParams.get('code') ?? ''
      await later(world.service, 61, async () => expect((await redeem(code)).status).toBe(401))
      expect((await redeem(code)).status).toBe(200)
    })

    test('is over after five minutes, and once the account has ended its sessions', async () => {
      const late = await arrived()
      await later(world.service, 301, async () => expect((await answer(late, 'confirm')).status).toBe(400))
      const ended = await arrived()
      const { token } = (
        await redeem(sentTo(await answer(await arrived(), 'confirm')).searchParams.get('code') ?? '')
      ).body
      expect((await call(world.url, 'DELETE', '/api/auth/sessions', { token })).status).toBe(204)
      expect((await answer(ended, 'confirm')).status).toBe(400)
    })
  })

  test('response_mode=page shows the code on a page after the confirmation, good with its verifier only', async () => {
    const query = { ...pkce, response_mode: 'page' }
    const shown = await answer(await arrived(query), 'confirm')
    expect([shown.status, shown.headers.get('location')]).toEqual([200, null])
    const [, code = '', issuer] = /class="code">(rcc_\w+)@([^<]+)</.exec(shown.text) ?? []
    expect(issuer).toBe(world.url)
    expect((await redeem(code, { codeVerifier: 'x'.repeat(43) })).status).toBe(401)
    expect((await redeem(code)).body).toMatchObject({ member: { id: demo.users.mara } })
    const canceled = await answer(await arrived(query), 'cancel')
    expect([canceled.status, /rcc_/.test(canceled.text)]).toEqual([200, false])
  })
})
