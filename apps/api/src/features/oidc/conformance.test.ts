import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { Browser } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import {
  authPath,
  claimsOf,
  clientUri,
  givenClient,
  logIn,
  postForm,
  redeem,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** The requirements of the OpenID Foundation's plans, by their test names; docs/reference/conformance.md lists all. */
describe.each(mainEngines)('the plans of the OpenID Foundation on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world))

  const codeOf = async (more = {}, browser = new Browser(world.url)) =>
    (await walk(world, authPath(project, more), { browser })).searchParams.get('code') ?? ''
  const tokensOf = async (more = {}, browser = new Browser(world.url)) =>
    (await redeem(world, project, await codeOf(more, browser))).body

  test('oidcc-discovery-endpoint-verification', async () => {
    const { body } = await call(world.url, 'GET', '/.well-known/openid-configuration')
    expect(body).toMatchObject({
      issuer: world.url,
      authorization_endpoint: `${world.url}/oidc/auth`,
      token_endpoint: `${world.url}/oidc/token`,
      userinfo_endpoint: `${world.url}/oidc/me`,
      jwks_uri: `${world.url}/oidc/jwks`,
      end_session_endpoint: `${world.url}/oidc/session/end`,
      introspection_endpoint: `${world.url}/oidc/introspect`,
      revocation_endpoint: `${world.url}/oidc/revoke`,
      device_authorization_endpoint: `${world.url}/oidc/device_authorization`,
      pushed_authorization_request_endpoint: `${world.url}/oidc/par`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
    })
    expect(body.scopes_supported).toEqual(['openid', 'profile', 'email', 'roles', 'offline_access'])
    const other = await call(world.url, 'GET', '/.well-known/oauth-authorization-server')
    expect(other.body).toEqual(body)
  })

  test('oidcc-discovery-endpoint-verification: with any Host and X-Forwarded-Proto', async () => {
    const { body } = await call(world.url, 'GET', '/.well-known/openid-configuration', {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    expect(JSON.stringify(body)).not.toContain('evil.example')
    expect(body.token_endpoint).toBe(`${world.url}/oidc/token`)
  })

  test('oidcc-userinfo-get, -post-header and -post-body', async () => {
    const { access_token: token } = await tokensOf()
    const get = await userinfo(world, token)
    const header = await postForm(world.url, '/oidc/me', {}, { authorization: `Bearer ${token}` })
    const body = await postForm(world.url, '/oidc/me', { access_token: token })
    expect([get.body, header.body, body.body].map(({ sub }) => sub)).toEqual(Array(3).fill(demo.users.ada))
  })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const id = claimsOf((await tokensOf({ nonce: '' })).id_token)
    expect(id).not.toHaveProperty('nonce')
  })

  test('oidcc-alternate-happy-flow: a client with two addresses gets its code at each, for that one alone', async () => {
    const second = `${clientUri}/second`
    const both = await givenClient(world, { redirectUris: [clientUri, second] })
    const code = async () => {
      const end = await walk(world, authPath(both, { redirect_uri: second }))
      expect(end.origin + end.pathname).toBe(second)
      return end.searchParams.get('code') ?? ''
    }
    expect((await redeem(world, both, await code(), { redirect_uri: second })).status).toBe(200)
    const elsewhere = await redeem(world, both, await code())
    expect([elsewhere.status, elsewhere.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('by form_post an error is a form, too, and says nothing in the address', async () => {
    const reply = await call(
      world.url,
      'GET',
      authPath(project, { response_mode: 'form_post', prompt: 'none' }),
      { headers: { accept: 'text/html' } },
    )
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.text).toContain(`action="${clientUri}"`)
    expect(reply.text).toContain('value="login_required"')
  })

  test('oidcc-scope-profile, -email and -all: claims by scope', async () => {
    const about = async (scope: string) => {
      const { access_token: token } = await tokensOf({ scope })
      return Object.keys((await userinfo(world, token)).body).sort()
    }
    expect(await about('openid')).toEqual(['sub'])
    expect(await about('openid profile')).toEqual(
      expect.arrayContaining(['name', 'nickname', 'preferred_username', 'sub', 'updated_at']),
    )
    expect(await about('openid email')).toEqual(['email', 'email_verified', 'sub'])
    expect(await about('openid address phone')).toEqual(['sub'])
  })

  test('oidcc-display, -ui-locales, -claims-locales, -login-hint, -acr-values, -unknown-parameter', async () => {
    for (const more of [
      { display: 'page' },
      { display: 'popup' },
      { ui_locales: 'se' },
      { claims_locales: 'se' },
      { login_hint: 'ada' },
      { acr_values: '1 2' },
      { extra: 'foobar' },
      { claims: '{"userinfo":{"name":{"essential":true}}}' },
    ])
      expect(await codeOf(more), JSON.stringify(more)).toMatch(/^rcg_/)
  })

  test('oidcc-prompt-login: another login, with a later auth_time', async () => {
    const browser = new Browser(world.url)
    const first = claimsOf((await tokensOf({ max_age: '10000' }, browser)).id_token)
    await world.service.deps.db.execute({
      text: "update sso_sessions set created_at = created_at - interval '100 seconds'",
      values: [],
    })
    const quiet = claimsOf((await tokensOf({ max_age: '10000' }, browser)).id_token)
    // Both are whole seconds.
    expect(Math.abs(first.auth_time - quiet.auth_time - 100)).toBeLessThanOrEqual(1)
    const again = claimsOf((await tokensOf({ max_age: '10000', prompt: 'login' }, browser)).id_token)
    expect(again.auth_time).toBeGreaterThan(quiet.auth_time + 90)
  })

  test('oidcc-max-age-1 and -10000', async () => {
    const browser = new Browser(world.url)
    await tokensOf({}, browser)
    world.sim.journal.clear()
    await codeOf({ max_age: '10000' }, browser)
    expect(world.sim.journal.count('token')).toBe(0)
    await world.service.deps.db.execute({
      text: "update sso_sessions set created_at = created_at - interval '100 seconds'",
      values: [],
    })
    await codeOf({ max_age: '1' }, browser)
    expect(world.sim.journal.count('token')).toBe(1)
  })

  test('oidcc-id-token-hint: of the signed-in member it is enough, of another member it is not', async () => {
    const browser = new Browser(world.url)
    const mine = await logIn(world, project, { browser })
    const others = await logIn(world, project, { as: demo.users.joon })
    const ask = async (hint: string) => {
      const end = await walk(world, authPath(project, { prompt: 'none', id_token_hint: hint }), { browser })
      return end.searchParams.get('error')
    }
    expect(await ask(mine.id_token)).toBeNull()
    expect(await ask(others.id_token)).toBe('login_required')
  })

  test('oidcc-codereuse-30seconds: the first token dies with the second use', async () => {
    const code = await codeOf()
    const first = await redeem(world, project, code)
    expect((await userinfo(world, first.body.access_token)).status).toBe(200)
    await later(world.service, 30, async () => {
      const second = await redeem(world, project, code)
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    })
    expect((await userinfo(world, first.body.access_token)).status).toBe(401)
  })

  test('oidcc-server-client-secret-post', async () => {
    const reply = await postForm(world.url, '/oidc/token', {
      grant_type: 'authorization_code',
      code: await codeOf(),
      redirect_uri: clientUri,
      client_id: project.id,
      client_secret: project.key,
    })
    expect(reply.status).toBe(200)
  })
})
