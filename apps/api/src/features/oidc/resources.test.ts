import { demo } from '@rolecall/chat-sim'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { approveDevice } from '../../../test/device.ts'
import { Browser, type GivenProject, givenAdmin } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { clientUri, givenClient, introspect, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const { users, roles, mainGuildId, gamesGuildId } = demo
const [notes, maps] = ['https://notes.example/mcp', 'urn:example:maps,of:harbours']
const off = 'https://off.example/'
const games = 'https://games.example/'

describe.each(ciEngines)('tokens for an API, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  const app = madeForTests(() => givenClient(world, { oidc: { deviceFlow: true } }))
  const notesApi = madeForTests(() => givenClient(world, { redirectUris: [], oidc: { resources: [notes] } }))
  const mapsApi = madeForTests(() => givenClient(world, { redirectUris: [], oidc: { resources: [maps] } }))
  let config: client.Configuration
  beforeAll(async () => {
    await givenClient(world, { oidc: { enabled: false, resources: [off] } })
    expect((await admin('POST', '/servers', { id: gamesGuildId })).status).toBe(201)
    await givenClient(world, {
      serverIds: [mainGuildId, gamesGuildId],
      oidc: { serverId: gamesGuildId, resources: [games] },
    })
    config = await client.discovery(new URL(world.url), app.id, app.key, undefined, {
      execute: [client.allowInsecureRequests],
    })
  })

  const scope = 'openid profile roles offline_access'
  /** Signs a member in and stops before the code is redeemed. */
  async function begin(more: Record<string, string>, as: string = users.ada) {
    const verifier = client.randomPKCECodeVerifier()
    const code_challenge = await client.calculatePKCECodeChallenge(verifier)
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: clientUri, scope, code_challenge, code_challenge_method: 'S256' },
      ...more,
    })
    const end = await walk(world, url.pathname + url.search, { browser: new Browser(world.url), as })
    return { end, redeem: (asked = {}) => redeem(end, verifier, asked) }
  }
  const redeem = (end: URL, pkceCodeVerifier: string, asked: Record<string, string>) =>
    client.authorizationCodeGrant(config, end, { pkceCodeVerifier }, asked)
  const tokenFor = async (resource: string, as?: string) =>
    (await begin({ resource }, as)).redeem({ resource })
  const seenBy = async (project: GivenProject, token: string) =>
    (await introspect(world, project, token)).body
  const inactive = { active: false }
  const admin = async (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: await givenAdmin(world), body })

  test('a token is active, with live roles, at the project of its resource and nowhere else', async () => {
    const { access_token } = await tokenFor(notes)
    expect(await seenBy(notesApi, access_token)).toMatchObject({
      ...{ active: true, aud: notes, client_id: app.id, sub: users.ada, username: 'ada.osei' },
      ...{ role_ids: [roles.crew], server_id: mainGuildId, scope },
    })
    for (const other of [mapsApi, app]) expect(await seenBy(other, access_token)).toEqual(inactive)
    const userinfo = await call(world.url, 'GET', '/oidc/me', {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect([userinfo.status, userinfo.body.error]).toEqual([401, 'invalid_token'])
  })

  test('a token without a resource is for userinfo and its own client', async () => {
    const { access_token } = await (await begin({})).redeem()
    expect(await seenBy(app, access_token)).toMatchObject({ active: true, sub: users.ada })
    expect(await seenBy(notesApi, access_token)).toEqual(inactive)
    expect((await client.fetchUserInfo(config, access_token, users.ada)).sub).toBe(users.ada)
  })

  test('a refresh keeps the resource, and a refresh token is introspected by its client alone', async () => {
    const first = await tokenFor(notes)
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '')
    const third = await client.refreshTokenGrant(config, second.refresh_token ?? '', { resource: notes })
    for (const { access_token } of [second, third])
      expect(await seenBy(notesApi, access_token)).toMatchObject({ active: true, aud: notes })
    expect(await seenBy(notesApi, third.refresh_token ?? '')).toEqual(inactive)
    expect(await seenBy(app, third.refresh_token ?? '')).toMatchObject({ active: true })
  })

  test('a device and a pushed request ask for a resource too', async () => {
    const device = await client.initiateDeviceAuthorization(config, { scope, resource: maps })
    expect((await approveDevice(world, device)).text).toContain('Your device is connected')
    const ofDevice = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
    expect(await seenBy(mapsApi, ofDevice.access_token)).toMatchObject({ active: true, aud: maps })
    const verifier = client.randomPKCECodeVerifier()
    const code_challenge = await client.calculatePKCECodeChallenge(verifier)
    const url = await client.buildAuthorizationUrlWithPAR(config, {
      ...{ redirect_uri: clientUri, scope, resource: maps },
      ...{ code_challenge, code_challenge_method: 'S256' },
    })
    const pushed = await redeem(await walk(world, url.pathname + url.search), verifier, {})
    expect(await seenBy(mapsApi, pushed.access_token)).toMatchObject({ active: true, aud: maps })
  })

  const unknown = [
    ['that no project has', 'https://nowhere.example/'],
    ['with a slash at its end', `${notes}/`],
    ['in other letters', notes.toUpperCase()],
    ['with a default port', notes.replace('/mcp', ':443/mcp')],
    ['that is not a URI', 'notes'],
    ['with a NUL', `${notes}\0`],
    ['with a fragment', `${notes}#top`],
    ['of a project that is no client', off],
    ['of a project that answers for another server', games],
  ] as const

  test.each(unknown)('a resource %s is an invalid target, wherever a login begins', async (_, resource) => {
    const { end } = await begin({ resource })
    expect([end.searchParams.get('error'), end.searchParams.get('code')]).toEqual(['invalid_target', null])
    const refused = { error: 'invalid_target' }
    const more = { scope, resource }
    await expect(client.initiateDeviceAuthorization(config, more)).rejects.toMatchObject(refused)
    const pushed = { ...more, redirect_uri: clientUri }
    await expect(client.buildAuthorizationUrlWithPAR(config, pushed)).rejects.toMatchObject(refused)
  })

  test.each([...unknown, ['of another project', maps] as const])(
    'a resource %s uses up neither a code, nor a refresh token, nor a device code',
    async (_, resource) => {
      const refused = { error: 'invalid_target' }
      const login = await begin({ resource: notes })
      await expect(login.redeem({ resource })).rejects.toMatchObject(refused)
      const { refresh_token = '' } = await login.redeem({ resource: notes })
      await expect(client.refreshTokenGrant(config, refresh_token, { resource })).rejects.toMatchObject(
        refused,
      )
      const fresh = await client.refreshTokenGrant(config, refresh_token)
      expect(await seenBy(notesApi, fresh.access_token)).toMatchObject({ active: true })
      const device = await client.initiateDeviceAuthorization(config, { scope, resource: notes })
      await approveDevice(world, device)
      const poll = (asked: Record<string, string>) =>
        client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 }, asked)
      await expect(poll({ resource })).rejects.toMatchObject(refused)
      expect(await seenBy(notesApi, (await poll({})).access_token)).toMatchObject({ active: true })
    },
  )

  test('a login that named no resource gets no token for one, and one names no two', async () => {
    const login = await begin({})
    await expect(login.redeem({ resource: notes })).rejects.toMatchObject({ error: 'invalid_target' })
    expect((await login.redeem()).access_token).toMatch(/^rct_/)
    const two = new URLSearchParams([
      ...Object.entries({ client_id: app.id, redirect_uri: clientUri, response_type: 'code', scope }),
      ...[notes, maps].map((resource) => ['resource', resource]),
    ])
    const end = await walk(world, `/oidc/auth?${two}`)
    expect(end.searchParams.get('error')).toBe('invalid_target')
  })

  test.each<[string, (member: string, token: string) => unknown]>([
    ['a kick', (member) => world.sim.world.removeMember(mainGuildId, member)],
    ['a block', (member) => admin('PUT', `/members/${member}/block`, { reason: 'Spam' })],
    ['ending the sessions', (member) => admin('DELETE', `/members/${member}/sessions`)],
    ['a revocation by the client', (_, token) => client.tokenRevocation(config, token)],
  ])('%s counts with the next introspection', async (_, end) => {
    const member = users.tomas
    await admin('DELETE', `/members/${member}/block`)
    if (!world.sim.world.guilds.get(mainGuildId)?.members.get(member))
      world.sim.world.addMember(mainGuildId, member, { roles: [roles.deckhand] })
    const { access_token } = await tokenFor(notes, member)
    world.sim.world.setRoles(mainGuildId, member, [roles.captain])
    expect((await seenBy(notesApi, access_token)).role_ids).toEqual([roles.captain])
    world.sim.world.setRoles(mainGuildId, member, [])
    expect((await seenBy(notesApi, access_token)).role_ids).toEqual([])
    await end(member, access_token)
    expect(await seenBy(notesApi, access_token)).toEqual(inactive)
  })

  test('an API that answers for another server no longer sees the tokens of the former one', async () => {
    const here = 'https://moves.example/'
    const api = await givenClient(world, {
      serverIds: [mainGuildId, gamesGuildId],
      oidc: { resources: [here] },
    })
    const { access_token } = await tokenFor(here)
    expect(await seenBy(api, access_token)).toMatchObject({ active: true, server_id: mainGuildId })
    const move = (serverId: string) => admin('PATCH', `/projects/${api.id}`, { oidc: { serverId } })
    expect((await move(gamesGuildId)).status).toBe(200)
    expect(await seenBy(api, access_token)).toEqual(inactive)
    await move(mainGuildId)
    expect(await seenBy(api, access_token)).toMatchObject({ active: true })
  })

  test('a resource that is removed, and a client that is no client any more, end the tokens', async () => {
    const here = 'https://short.example/'
    const api = await givenClient(world, { oidc: { resources: [here] } })
    const { access_token, refresh_token = '' } = await tokenFor(here)
    const set = (id: string, oidc: object) => admin('PATCH', `/projects/${id}`, { oidc })
    await set(api.id, { resources: [] })
    expect(await seenBy(api, access_token)).toEqual(inactive)
    await expect(client.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({
      error: 'invalid_target',
    })
    await set(api.id, { resources: [here] })
    expect(await seenBy(api, access_token)).toMatchObject({ active: true })
    expect((await client.refreshTokenGrant(config, refresh_token)).refresh_token).toMatch(/^rcf_/)
    await set(api.id, { publicClient: true })
    expect((await introspect(world, api, access_token)).text).not.toContain('"active":true')
    await set(api.id, { publicClient: false })
    // Sessions of the client continue, but it has no key left to authenticate with.
    await admin('DELETE', `/projects/${app.id}/key`)
    expect(await seenBy(api, access_token)).toEqual(inactive)
  })
})
