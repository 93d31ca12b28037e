import { demo } from '@rolecall/chat-sim'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { approveDevice } from '../../../test/device.ts'
import { Browser, type GivenProject } from '../../../test/given.ts'
import { clientUri, givenClient, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const afterwards = 'https://wiki.example/bye'

/** The library that most programs on Node.js use with an OpenID provider; it checks every response by the standards. */
describe.each(mainEngines)('openid-client on %s', (engine) => {
  const world = worldForTests(engine)
  let project: GivenProject
  let config: client.Configuration
  beforeAll(async () => {
    project = await givenClient(world, {
      isInternal: false,
      oidc: { postLogoutRedirectUris: [afterwards], rolesInIdToken: true, deviceFlow: true },
    })
    config = await client.discovery(new URL(world.url), project.id, project.key, undefined, {
      execute: [client.allowInsecureRequests],
    })
  })

  const parameters = (verifierChallenge: string, more = {}) => ({
    redirect_uri: clientUri,
    scope: 'openid profile email roles offline_access',
    state: 'its-state',
    nonce: 'its-nonce',
    code_challenge: verifierChallenge,
    code_challenge_method: 'S256',
    ...more,
  })
  const checks = (verifier: string) => ({
    pkceCodeVerifier: verifier,
    expectedState: 'its-state',
    expectedNonce: 'its-nonce',
    idTokenExpected: true,
  })
  const pathOf = ({ pathname, search }: URL) => pathname + search
  const logIn = async (more = {}, browser = new Browser(world.url)) => {
    const verifier = client.randomPKCECodeVerifier()
    const challenge = await client.calculatePKCECodeChallenge(verifier)
    const url = client.buildAuthorizationUrl(config, parameters(challenge, more))
    const end = await walk(world, pathOf(url), { browser })
    return client.authorizationCodeGrant(config, end, checks(verifier))
  }

  test('discovers, logs in with PKCE, reads userinfo, refreshes, introspects and revokes', async () => {
    const tokens = await logIn()
    expect(tokens.claims()).toMatchObject({ sub: demo.users.ada, roles: expect.any(Array) })
    const about = await client.fetchUserInfo(config, tokens.access_token, demo.users.ada)
    expect(about['server_id']).toBe(demo.mainGuildId)
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.claims()?.sub).toBe(demo.users.ada)
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token)
    const known = await client.tokenIntrospection(config, fresh.access_token)
    expect(known).toMatchObject({
      active: true,
      sub: demo.users.ada,
      client_id: project.id,
      username: 'ada.osei',
    })
    await client.tokenRevocation(config, fresh.refresh_token ?? '')
    expect(await client.tokenIntrospection(config, fresh.access_token)).toEqual({ active: false })
  })

  test('pushes its request, and the address of that is good once', async () => {
    const verifier = client.randomPKCECodeVerifier()
    const challenge = await client.calculatePKCECodeChallenge(verifier)
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters(challenge))
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const browser = new Browser(world.url)
    const end = await walk(world, pathOf(url), { browser })
    const tokens = await client.authorizationCodeGrant(config, end, checks(verifier))
    expect(tokens.refresh_token).toMatch(/^rcf_/)
    const again = await walk(world, pathOf(url), { browser }).catch(String)
    expect(String(again)).not.toContain('code=')
  })

  test('asks for a login not older than so, or for another one, and is told when it was', async () => {
    const browser = new Browser(world.url)
    const first = await logIn({ max_age: '10000' }, browser)
    expect(first.claims()?.auth_time).toEqual(expect.any(Number))
    world.sim.journal.clear()
    await logIn({ max_age: '10000' }, browser)
    expect(world.sim.journal.count('token')).toBe(0)
    await logIn({ prompt: 'login' }, browser)
    expect(world.sim.journal.count('token')).toBe(1)
  })

  test('a command-line client polls until a member approves it, and obeys slow_down', async () => {
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid roles offline_access' })
    expect(device.interval).toBe(5)
    const errors: string[] = []
    const shell = new client.Configuration(config.serverMetadata(), project.id, project.key)
    client.allowInsecureRequests(shell)
    shell[client.customFetch] = async (url, options) => {
      const response = await fetch(url, options as RequestInit)
      const { error } = await response.clone().json()
      if (error) errors.push(error)
      return response
    }
    // Without an interval, it polls at once, gets slow_down, and waits five seconds.
    const polled = client.pollDeviceAuthorizationGrant(shell, { ...device, interval: 0 })
    const [tokens] = await Promise.all([polled, approveDevice(world, device)])
    expect(errors).toEqual(expect.arrayContaining(['authorization_pending', 'slow_down']))
    expect(tokens.claims()?.sub).toBe(demo.users.ada)
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.claims()?.sub).toBe(demo.users.ada)
  }, 60_000)

  test('logs out, and the browser is known no more', async () => {
    const browser = new Browser(world.url)
    const tokens = await logIn({}, browser)
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: afterwards,
      state: 'bye',
    })
    const reply = await browser.get(pathOf(url))
    expect(reply.headers.get('location')).toBe(`${afterwards}?state=bye`)
    await expect(client.fetchUserInfo(config, tokens.access_token, demo.users.ada)).rejects.toThrow()
    const verifier = await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier())
    const quiet = client.buildAuthorizationUrl(config, parameters(verifier, { prompt: 'none' }))
    const end = await walk(world, pathOf(quiet), { browser })
    await expect(client.authorizationCodeGrant(config, end, checks(verifier))).rejects.toThrow(
      'authorization',
    )
  })
})
