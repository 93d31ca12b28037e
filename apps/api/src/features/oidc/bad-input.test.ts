import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { Browser, countRows, givenProject } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import {
  authPath,
  basic,
  clientUri,
  givenClient,
  introspect,
  logIn,
  pkce,
  postForm,
  redeem,
  refresh,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const nobody = '01900000-0000-7000-8000-000000000000'

describe.each(ciEngines)('malformed requests on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world))
  const browserClient = madeForTests(() => givenClient(world, { oidc: { publicClient: true } }))

  const ask = (path: string) => call(world.url, 'GET', path, { headers: { accept: 'text/html' } })

  test.each([
    ['GET', '/device/abc'],
    ['POST', '/device'],
  ] as const)(
    '%s %s of a browser without a session is a page with every header of ours',
    async (method, path) => {
      const reply = await call(world.url, method, path, {
        headers: {
          accept: 'text/html',
          origin: world.url,
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { raw: 'xsrf=x&user_code=ABCD-EFGH' }),
      })
      expect(reply.status).toBe(400)
      expect(reply.text).toContain('This page has expired')
      expect(reply.headers.get('x-request-id')).toBeTruthy()
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    },
  )

  describe('at the authorization endpoint', () => {
    test.each<[string, Record<string, string>]>([
      ['an unknown client', { client_id: nobody }],
      ['a client id that is none', { client_id: 'x\u0000y' }],
      ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }],
      ['one that only begins like it', { redirect_uri: `${clientUri}/more` }],
      ['one in another case', { redirect_uri: clientUri.toUpperCase() }],
      ['one with a query', { redirect_uri: `${clientUri}?x=1` }],
      ['one with a fragment', { redirect_uri: `${clientUri}#x` }],
      ['one with a user', { redirect_uri: 'https://a@wiki.example/oidc/callback' }],
      ['one with a path that turns', { redirect_uri: 'https://wiki.example/x/..;/oidc/callback' }],
      ['an answer inside the redirect URI', { redirect_uri: `${clientUri}?code=x&state=y&iss=z` }],
      ['no redirect URI', { redirect_uri: '' }],
      ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ])('%s is a page, and never a redirect', async (_, more) => {
      const reply = await ask(authPath(project, more))
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
      expect(reply.headers.get('content-type')).toContain('text/html')
      expect(reply.text).not.toContain('<script')
    })

    test('a client id in upper case is not known, also to a browser that is signed in', async () => {
      const browser = new Browser(world.url)
      await walk(world, authPath(project), { browser })
      const upper = authPath(project, { client_id: project.id.toUpperCase() })
      expect((await browser.get(upper, { accept: 'text/html' })).status).toBe(400)
      expect((await ask(upper)).status).toBe(400)
    })

    test('a project that is no client is one that is not known', async () => {
      const plain = await givenProject(world, { redirectUris: [clientUri] })
      expect((await ask(authPath(plain))).status).toBe(400)
    })

    test.each([true, false])(
      'an inactive project begins no login (publicClient: %s)',
      async (publicClient) => {
        const off = await givenClient(world, { oidc: { publicClient } })
        expect((await ask(authPath(off))).status).toBe(303)
        await world.service.deps.db.execute({
          text: 'update projects set deactivated_at = clock_now() where id = $1',
          values: [off.id],
        })
        expect((await ask(authPath(off))).status).toBe(400)
      },
    )

    test.each<[string, Record<string, string>, string]>([
      [
        'PKCE in clear',
        { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
        'invalid_request',
      ],
      ['another response type', { response_type: 'id_token' }, 'unsupported_response_type'],
      ['no response type', { response_type: '' }, 'invalid_request'],
      ['an unknown response mode', { response_mode: 'shouting' }, 'unsupported_response_mode'],
      ['prompts that exclude each other', { prompt: 'none login' }, 'invalid_request'],
      ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
      ['a negative age', { max_age: '-1' }, 'invalid_request'],
      ['an age that is no number', { max_age: 'young' }, 'invalid_request'],
      ['a hint that is no token', { id_token_hint: 'x' }, 'invalid_request'],
      ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
      ['a request by address', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
      ['a scope with control characters', { scope: 'openid \u0000' }, 'invalid_scope'],
    ])('%s is the protocol’s own error, with state and issuer', async (_, more, error) => {
      const reply = await ask(authPath(project, more))
      const to = new URL(reply.headers.get('location') ?? 'none:')
      expect(`${to.origin}${to.pathname}`).toBe(clientUri)
      const answer = new URLSearchParams(to.search || to.hash.slice(1))
      expect([answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
        error,
        'a-state',
        world.url,
      ])
    })

    test('a public client without PKCE is refused', async () => {
      const reply = await ask(authPath(browserClient))
      expect(new URL(reply.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
    })

    test('a parameter twice is refused, and never one of the two', async () => {
      const twice = await ask(`${authPath(project)}&nonce=other`)
      expect(new URL(twice.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
      const uris = await ask(`${authPath(project)}&redirect_uri=https%3A%2F%2Fevil.example`)
      expect([uris.status, uris.headers.get('location')]).toEqual([400, null])
    })

    test('what is not known is left out, and what is too long is refused', async () => {
      const end = await walk(world, authPath(project, { scope: 'openid admin', claims: '{', 'x[]': 'y' }))
      expect(end.searchParams.has('code')).toBe(true)
      expect((await ask(authPath(project, { login_hint: 'x'.repeat(5_000) }))).status).toBe(400)
    })

    test('a form is taken like a link', async () => {
      const query = authPath(project).split('?')[1] ?? ''
      const reply = await postForm(world.url, '/oidc/auth', query)
      expect([reply.status, reply.headers.get('location')]).toEqual([303, `/oidc/auth?${query}`])
    })
  })

  describe('at the token endpoint', () => {
    const token = (form: Record<string, string> | string, headers: Record<string, string> = basic(project)) =>
      postForm(world.url, '/oidc/token', form, headers)
    const outcome = ({ status, body }: Awaited<ReturnType<typeof token>>) => [status, body.error]

    test('a client with a wrong key is refused, even if all else is right', async () => {
      const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: clientUri }
      const wrong = { ...project, key: `${project.key.slice(0, -1)}${project.key.endsWith('x') ? 'y' : 'x'}` }
      expect(outcome(await token(grant, basic(wrong)))).toEqual([401, 'invalid_client'])
      expect(outcome(await token(grant, basic({ ...project, id: nobody })))).toEqual([401, 'invalid_client'])
      expect(outcome(await token(grant, {}))).toEqual([400, 'invalid_request'])
      expect(outcome(await token({ ...grant, client_id: project.id }, {}))).toEqual([401, 'invalid_client'])
      const two = { ...grant, client_id: project.id, client_secret: project.key }
      expect(outcome(await token(two))).toEqual([400, 'invalid_request'])
      expect(outcome(await token(two, {}))).toEqual([400, 'invalid_grant'])
    })

    test('a code is good for its client, its address and its verifier alone', async () => {
      const { verifier, challenge } = pkce()
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      const get = async (more = {}) =>
        (await walk(world, authPath(project, more))).searchParams.get('code') ?? ''
      const other = await givenClient(world)
      expect(outcome(await redeem(world, other, await get()))).toEqual([400, 'invalid_grant'])
      const elsewhere = { redirect_uri: `${clientUri}/x` }
      expect(outcome(await redeem(world, project, await get(), elsewhere))).toEqual([400, 'invalid_grant'])
      expect(outcome(await redeem(world, project, await get(proof)))).toEqual([400, 'invalid_grant'])
      const wrong = { code_verifier: `${verifier}x` }
      expect(outcome(await redeem(world, project, await get(proof), wrong))).toEqual([400, 'invalid_grant'])
      expect(outcome(await redeem(world, project, await get(), { code_verifier: verifier }))).toEqual([
        400,
        'invalid_grant',
      ])
    })

    test('a public client has to name itself and has no secret', async () => {
      const { verifier, challenge } = pkce()
      const end = await walk(
        world,
        authPath(browserClient, { code_challenge: challenge, code_challenge_method: 'S256' }),
      )
      const form = {
        grant_type: 'authorization_code',
        code: end.searchParams.get('code') ?? '',
        redirect_uri: clientUri,
        code_verifier: verifier,
        client_id: browserClient.id,
      }
      expect(outcome(await token({ ...form, client_secret: browserClient.key }, {}))).toEqual([
        401,
        'invalid_client',
      ])
      expect((await token(form, {})).status).toBe(200)
    })

    test.each<[string, Record<string, string> | string, string]>([
      ['nothing', '', 'invalid_request'],
      ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
      [
        'a code that is none',
        { grant_type: 'authorization_code', code: '\u0000', redirect_uri: clientUri },
        'invalid_grant',
      ],
      [
        'a long code',
        { grant_type: 'authorization_code', code: 'x'.repeat(12_000), redirect_uri: clientUri },
        'invalid_grant',
      ],
      [
        'a refresh token that is none',
        { grant_type: 'refresh_token', refresh_token: 'rcf_x' },
        'invalid_grant',
      ],
      [
        'a session token',
        { grant_type: 'refresh_token', refresh_token: `rcs_${'0'.repeat(49)}` },
        'invalid_grant',
      ],
      ['a field twice', 'grant_type=refresh_token&grant_type=refresh_token', 'invalid_request'],
    ])('%s is the protocol’s own error', async (_, form, error) => {
      expect(outcome(await token(form))).toEqual([400, error])
    })

    test('another media type, and a body that is too long, are refused', async () => {
      const json = await call(world.url, 'POST', '/oidc/token', { body: { a: 1 }, headers: basic(project) })
      expect([json.status, json.body.error]).toEqual([400, 'invalid_request'])
      expect((await token(`x=${'y'.repeat(20_000)}`)).status).toBe(413)
    })

    test('a refresh token of another client is refused, and stays good for its own', async () => {
      const tokens = await logIn(world, project)
      const other = await givenClient(world)
      expect(outcome(await refresh(world, other, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
      expect((await refresh(world, project, tokens.refresh_token)).status).toBe(200)
    })
  })

  describe('elsewhere', () => {
    test('an access token that is none, or comes twice, is refused with a challenge', async () => {
      const { access_token: good } = await logIn(world, project)
      expect((await userinfo(world, 'x')).status).toBe(401)
      expect((await userinfo(world, `${good}x`)).status).toBe(401)
      expect((await call(world.url, 'GET', '/oidc/me')).status).toBe(401)
      expect((await call(world.url, 'GET', `/oidc/me?access_token=${good}`)).status).toBe(400)
      const twice = await postForm(
        world.url,
        '/oidc/me',
        { access_token: good },
        { authorization: `Bearer ${good}` },
      )
      expect(twice.status).toBe(400)
      expect((await postForm(world.url, '/oidc/me', { access_token: good })).status).toBe(200)
    })

    test('a token is told about only to the client that it is of', async () => {
      const { access_token: token, refresh_token: refreshToken } = await logIn(world, project)
      const other = await givenClient(world)
      expect((await introspect(world, other, token)).body).toEqual({ active: false })
      expect((await introspect(world, project, token)).body).toMatchObject({ active: true })
      expect((await introspect(world, project, refreshToken ?? '')).body).toMatchObject({ active: true })
      const foreign = await postForm(world.url, '/oidc/revoke', { token }, basic(other))
      expect(foreign.status).toBe(200)
      expect((await userinfo(world, token)).status).toBe(200)
      expect((await postForm(world.url, '/oidc/revoke', { token }, basic(project))).status).toBe(200)
      expect((await userinfo(world, token)).status).toBe(401)
    })

    test('a step of a login is worth nothing in another browser, and nothing twice', async () => {
      const browser = new Browser(world.url)
      const step = (await browser.get(authPath(project))).headers.get('location') ?? ''
      expect((await ask(step)).status).toBe(400)
      const resume = step.replace('/oidc/interaction/', '/oidc/auth/')
      const stranger = await ask(resume)
      expect([stranger.status, stranger.headers.get('location')]).toEqual([400, null])
    })

    test('only the sites of public clients may ask from a browser', async () => {
      const preflight = (origin: string, path = '/oidc/token') =>
        call(world.url, 'OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } })
      const allowed = async (origin: string, path?: string) =>
        (await preflight(origin, path)).headers.get('access-control-allow-origin')
      expect(await allowed('https://wiki.example')).toBe('https://wiki.example')
      for (const origin of ['https://evil.example', 'null', 'https://wiki.example.evil.example'])
        expect(await allowed(origin)).toBeNull()
      const read = (origin: string) =>
        call(world.url, 'GET', '/.well-known/openid-configuration', { headers: { origin } })
      expect((await read('https://wiki.example')).headers.get('access-control-allow-origin')).toBe(
        'https://wiki.example',
      )
      expect((await read('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
    })

    test('no token and no code lies in the database in clear', async () => {
      const { access_token: access, refresh_token: fresh } = await logIn(world, project)
      const { db } = world.service.deps
      const rows = await db.query<{ text: string }>({
        text: 'select oidc_records::text as text from oidc_records',
        values: [],
      })
      const text = rows.map((row) => row.text).join('\n')
      expect(text.length).toBeGreaterThan(100)
      for (const secret of [access, fresh ?? '']) expect(text).not.toContain(secret)
      expect(text).not.toMatch(/rc[tfgd]_[0-9A-Za-z]{20}/)
      const keys = await db.query<{ text: string }>({
        text: "select encode(sealed, 'escape') as text from oidc_signing_keys",
        values: [],
      })
      expect(keys.length).toBe(1)
      expect(keys[0]?.text).not.toContain('"d"')
    })

    test('a project that is deactivated, a revoked key: the tokens of both are refused at once', async () => {
      const off = await givenClient(world)
      const { access_token: token } = await logIn(world, off)
      const { db } = world.service.deps
      await db.execute({
        text: 'update api_keys set revoked_at = clock_now() where project_id = $1',
        values: [off.id],
      })
      expect((await userinfo(world, token)).status).toBe(401)
      expect((await introspect(world, off, token)).status).toBe(401)
    })

    test('what is asked for leaves one row each, and none for prompt=none', async () => {
      const before = await countRows(world, 'oidc_records')
      for (let i = 0; i < 5; i++) await ask(authPath(project))
      for (let i = 0; i < 5; i++) await ask(authPath(project, { prompt: 'none' }))
      expect((await countRows(world, 'oidc_records')) - before).toBe(5)
    })
  })
})
