import * as oauth from 'oauth4webapi'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ChatSim, demo, startChatSim } from '../index.ts'

let sim: ChatSim
beforeAll(async () => {
  sim = await startChatSim({ headlessLogin: true })
})
afterEach(() => sim.reset())
afterAll(() => sim.close())

const allowHttp = { [oauth.allowInsecureRequests]: true }

const authorizeUrl = (extra: Record<string, string> = {}) =>
  `${sim.authorizeUrl}?${new URLSearchParams({
    client_id: demo.clientId,
    redirect_uri: sim.app.redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'identify email',
    state: 'st',
    ...extra,
  })}`

const loginAs = async (as: string, extra: Record<string, string> = {}) =>
  new URL(await sim.login(authorizeUrl(extra), { as })).searchParams

const exchange = (fields: Record<string, string>) =>
  fetch(`${sim.apiUrl}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: sim.app.redirectUris[0] ?? '',
      client_id: demo.clientId,
      client_secret: demo.clientSecret,
      ...fields,
    }),
  })

interface Tokens {
  access_token: string
}

const tokensOf = async (reply: Promise<Response>) => (await (await reply).json()) as Tokens

describe('with oauth4webapi', () => {
  it('signs in a user, with PKCE, an issuer check, and either client authentication', async () => {
    const server = {
      issuer: sim.url,
      token_endpoint: `${sim.apiUrl}/oauth2/token`,
      authorization_response_iss_parameter_supported: true,
    }
    const client = { client_id: demo.clientId }
    const verifier = oauth.generateRandomCodeVerifier()
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)

    for (const authentication of [oauth.ClientSecretPost, oauth.ClientSecretBasic]) {
      const url = authorizeUrl({ code_challenge, code_challenge_method: 'S256' })
      const location = new URL(await sim.login(url, { as: demo.users.mara }))
      const params = oauth.validateAuthResponse(server, client, location, 'st')
      const redirect = sim.app.redirectUris[0] ?? ''
      const auth = authentication(demo.clientSecret)
      const reply = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        auth,
        params,
        redirect,
        verifier,
        allowHttp,
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, reply)
      expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'identify email', expires_in: 604_800 })
    }
  })

  it('brings a refusal back as access_denied', async () => {
    const location = new URL(await sim.login(authorizeUrl(), { as: demo.users.mara, cancel: true }))
    const server = { issuer: sim.url, authorization_response_iss_parameter_supported: true }
    expect(() => oauth.validateAuthResponse(server, { client_id: demo.clientId }, location, 'st')).toThrow(
      oauth.AuthorizationResponseError,
    )
  })
})

describe('authorize', () => {
  it('shows a page and redirects nowhere when the client or the redirect URI is not registered', async () => {
    for (const wrong of [
      { client_id: '1' },
      { redirect_uri: `${sim.app.redirectUris[0]}/` },
      { scope: 'nonsense' },
    ]) {
      const reply = await fetch(authorizeUrl(wrong), { redirect: 'manual' })
      expect(reply.status).toBe(400)
      expect(reply.headers.get('location')).toBeNull()
    }
  })

  it('escapes what it shows', async () => {
    sim.world.updateUser(demo.users.mara, { global_name: '<script>alert(1)</script>' })
    const page = await (await fetch(authorizeUrl({ state: '"><script>' }))).text()
    expect(page).not.toContain('<script>')
    expect(page).toContain('&lt;script&gt;alert(1)')
  })

  it('skips consent with prompt=none only when these scopes were approved before', async () => {
    const walk = (extra: Record<string, string>) => sim.login(authorizeUrl(extra), { as: demo.users.mara })
    await walk({ prompt: 'none' })
    await walk({ prompt: 'none' })
    expect(sim.journal.entries('authorize').filter((entry) => entry.method === 'POST')).toHaveLength(1)
    await walk({ prompt: 'none', scope: 'identify email guilds' })
    expect(sim.journal.entries('authorize').filter((entry) => entry.method === 'POST')).toHaveLength(2)
  })

  it('refuses forms that another site sent', async () => {
    const headers = { origin: 'https://elsewhere.test' }
    const reply = await fetch(`${sim.url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ user: '1' }),
      headers,
    })
    expect(reply.status).toBe(403)
  })

  it('skips the pages for login_as when that was switched on', async () => {
    const reply = await fetch(authorizeUrl({ login_as: demo.users.ada, auto: '1' }), { redirect: 'manual' })
    expect(reply.headers.get('location')).toMatch(/code=\w+/)
  })
})

describe('token', () => {
  it('takes a code once, and not after 100 seconds', async () => {
    const code = (await loginAs(demo.users.mara)).get('code') ?? ''
    expect((await exchange({ code })).status).toBe(200)
    const again = await exchange({ code })
    expect(again.status).toBe(400)
    expect(await again.json()).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid "code" in request.',
    })

    const late = (await loginAs(demo.users.mara)).get('code') ?? ''
    sim.clock.advance(100_001)
    expect((await exchange({ code: late })).status).toBe(400)
  })

  it.each([
    ['wrong secret', { client_secret: 'x' }, 401, 'invalid_client'],
    ['unregistered redirect', { redirect_uri: 'http://x.test/' }, 400, 'invalid_request'],
    ['other redirect', { redirect_uri: 'http://localhost:3000/api/auth/callback' }, 400, 'invalid_grant'],
    ['verifier without challenge', { code_verifier: 'a'.repeat(43) }, 400, 'invalid_request'],
    ['unknown grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('refuses: %s', async (_name, fields, status, error) => {
    const code = (await loginAs(demo.users.mara)).get('code') ?? ''
    const reply = await exchange({ code, ...fields })
    expect(reply.status).toBe(status)
    expect(await reply.json()).toMatchObject({ error })
  })

  it('counts exchanges by address when it is limited, and tells only how long to wait', async () => {
    sim.rateLimits.setLimit('token', { limit: 2, perMs: 1_000 })
    const replies = [
      await exchange({ code: 'a' }),
      await exchange({ code: 'b' }),
      await exchange({ code: 'c' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 429])
    expect(replies[2]?.headers.get('retry-after')).toBe('1')
    expect(replies[2]?.headers.get('x-ratelimit-limit')).toBeNull()
    sim.clock.advance(1_000)
    expect((await exchange({ code: 'd' })).status).toBe(400)
  })

  it('refuses JSON and GET', async () => {
    const address = `${sim.apiUrl}/v10/oauth2/token`
    const body = JSON.stringify({ grant_type: 'authorization_code' })
    const reply = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await reply.json()).toMatchObject({ error: 'unsupported_grant_type' })
    expect((await fetch(address)).status).toBe(405)
  })
})

describe('what goes wrong on request', () => {
  it('leaves out or falsifies iss', async () => {
    sim.oauth.answerIss('absent')
    expect((await loginAs(demo.users.mara)).has('iss')).toBe(false)
    sim.oauth.answerIss('https://elsewhere.test')
    expect((await loginAs(demo.users.mara)).get('iss')).toBe('https://elsewhere.test')
  })

  it('grants other scopes, adds an id_token, and kills the token at once', async () => {
    sim.oauth.grantScopes(['identify', 'guilds'])
    sim.oauth.includeIdToken(true)
    sim.oauth.killTokensAfterExchange(true)
    const code = (await loginAs(demo.users.mara)).get('code') ?? ''
    const tokens = await tokensOf(exchange({ code }))
    expect(tokens).toMatchObject({ scope: 'identify guilds', id_token: expect.any(String) })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const me = await fetch(`${sim.apiUrl}/v10/users/@me`, { headers })
    expect([me.status, await me.json()]).toEqual([401, { message: '401: Unauthorized', code: 0 }])
  })

  it('loses the answer of an exchange that took place', async () => {
    const code = (await loginAs(demo.users.mara)).get('code') ?? ''
    sim.failNext('token', { lost: true })
    await expect(exchange({ code })).rejects.toThrow()
    expect((await exchange({ code })).status).toBe(400)
  })
})

describe('/users/@me with a bearer token', () => {
  const meOf = async (as: string, scope = 'identify email') => {
    const code = (await loginAs(as, { scope })).get('code') ?? ''
    const { access_token } = await tokensOf(exchange({ code }))
    const get = (path: string) =>
      fetch(`${sim.apiUrl}/v10${path}`, { headers: { authorization: `Bearer ${access_token}` } })
    return { get, me: await (await get('/users/@me')).json() }
  }

  it('shows e-mail with the scope, also when unverified or missing', async () => {
    expect((await meOf(demo.users.mara)).me).toMatchObject({
      email: 'mara.lind@example.test',
      verified: true,
    })
    expect((await meOf(demo.users.kenji)).me).toMatchObject({ verified: false })
    expect((await meOf(demo.users.rosa)).me).toMatchObject({ email: null })
    expect((await meOf(demo.users.mara, 'identify')).me).not.toHaveProperty('email')
  })

  it('lists the servers of the user with the scope `guilds`', async () => {
    const { get } = await meOf(demo.users.ada, 'identify guilds')
    expect(await (await get('/users/@me/guilds')).json()).toMatchObject([
      { id: demo.mainGuildId, owner: false },
    ])
    expect((await get(`/guilds/${demo.mainGuildId}`)).status).toBe(401)
  })
})
