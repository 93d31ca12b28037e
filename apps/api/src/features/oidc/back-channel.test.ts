import { createPublicKey, verify } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenAdmin } from '../../../test/given.ts'
import { startLogoutReceiver } from '../../../test/logout-receiver.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { basic, claimsOf, givenClient, logIn, postForm } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('back-channel logout on %s', (engine) => {
  const receiver = madeForTests(startLogoutReceiver, (started) => started.close())
  const world = worldForTests(engine)
  let project: GivenProject
  beforeAll(async () => {
    world.service.deps.deliveries.start()
    project = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri } })
  })
  afterEach(() => void receiver.received.splice(0))

  const sidOf = ({ id_token }: { id_token: string }): string => claimsOf(id_token).sid
  const told = async (count = 1) => {
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(count)
    return receiver.received.map(({ token }) => claimsOf(token))
  }
  const logoutAll = () =>
    call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: demo.users.ada },
    })

  test('every end of a session sends its client a signed logout token that names it', async () => {
    const tokens = await logIn(world, project)
    await logoutAll()
    const [claims] = await told()
    expect(claims).toEqual({
      iss: world.url,
      aud: project.id,
      sub: demo.users.ada,
      sid: sidOf(tokens),
      iat: expect.any(Number),
      exp: claims.iat + 120,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    const [header = '', payload = '', signature = ''] = (receiver.received[0]?.token ?? '').split('.')
    const { kid, typ, alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
    expect([typ, alg]).toEqual(['logout+jwt', 'RS256'])
    const jwks = (await call(world.url, 'GET', '/oidc/jwks')).body
    const jwk = jwks.keys.find((one: { kid: string }) => one.kid === kid)
    expect(jwk).not.toHaveProperty('d')
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    expect(
      verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')),
    ).toBe(true)
  })

  test('two sessions of one member are two tokens', async () => {
    const sids = [sidOf(await logIn(world, project)), sidOf(await logIn(world, project))]
    await logoutAll()
    expect((await told(2)).map(({ sid }) => sid).sort()).toEqual(sids.sort())
  })

  test('each attempt sends a new token, including a manual resend', async () => {
    receiver.answer(503)
    const sid = sidOf(await logIn(world, project))
    await logoutAll()
    await told(2)
    const token = await givenAdmin(world)
    const path = `/api/admin/projects/${project.id}/logout-deliveries`
    const delivered = () => call(world.url, 'GET', `${path}?status=delivered&limit=1`, { token })
    await expect
      .poll(async () => (await delivered()).body.data[0])
      .toMatchObject({ sessionId: sid, attempts: 2 })
    const [shown] = (await delivered()).body.data
    expect(shown).toMatchObject({
      projectId: project.id,
      memberId: demo.users.ada,
      uri: receiver.uri,
      lastStatus: 200,
    })
    await call(world.url, 'POST', `${path}/${shown.id}/resend`, { token })
    const claims = await told(3)
    expect(claims.map((one) => one.sid)).toEqual([sid, sid, sid])
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(3)
  })

  test('a member who is kicked is told of, and a project that is switched off of all', async () => {
    const off = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri } })
    const kicked = sidOf(await logIn(world, off, { as: demo.users.joon }))
    const { deps } = world.service
    await deps.mirrorMember(
      demo.mainGuildId,
      { id: demo.users.joon },
      undefined,
      new Date(Date.now() + 1_000),
    )
    expect((await told()).map(({ sid }) => sid)).toEqual([kicked])
    receiver.received.splice(0)
    const left = sidOf(await logIn(world, off))
    const token = await givenAdmin(world)
    await call(world.url, 'PATCH', `/api/admin/projects/${off.id}`, { token, body: { isActive: false } })
    expect((await told()).map(({ sid }) => sid)).toEqual([left])
  })

  test('a project that is internal no more is told of whom it loses, and so is one whose server is the main one no more', async () => {
    const token = await givenAdmin(world)
    const one = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri }, serverIds: [] })
    const lost = sidOf(await logIn(world, one))
    await call(world.url, 'PATCH', `/api/admin/projects/${one.id}`, { token, body: { isInternal: false } })
    expect((await told()).map(({ sid }) => sid)).toEqual([lost])
    receiver.received.splice(0)
    const two = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri }, serverIds: [] })
    const gone = sidOf(await logIn(world, two))
    const path = `/api/admin/servers/${demo.mainGuildId}`
    await call(world.url, 'PATCH', path, { token, body: { isMain: false } })
    // Other projects lose earlier sessions, too.
    await expect.poll(async () => (await told()).map(({ sid }) => sid)).toContain(gone)
    await call(world.url, 'PATCH', path, { token, body: { isMain: true } })
  })

  test('an internal project whose mapping to the main server goes keeps its sessions, and is told of none', async () => {
    const mapped = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri } })
    const token = await givenAdmin(world)
    const sid = sidOf(await logIn(world, mapped))
    const mapping = `/api/admin/projects/${mapped.id}/servers/${demo.mainGuildId}`
    expect((await call(world.url, 'DELETE', mapping, { token })).status).toBe(200)
    await call(world.url, 'POST', '/api/auth/logout-all', {
      key: mapped.key,
      body: { memberId: demo.users.ada },
    })
    const sidsTold = async () => (await told()).map((claims) => claims.sid)
    await expect.poll(sidsTold).toEqual([sid])
    // A false notification would have arrived with it or before it; this one arrives after it.
    const after = sidOf(await logIn(world, project))
    await logoutAll()
    await expect.poll(sidsTold).toEqual([sid, after])
  })

  test('what the client itself revokes is no news to it', async () => {
    const tokens = await logIn(world, project)
    const revoked = await postForm(
      world.url,
      '/oidc/revoke',
      { token: tokens.refresh_token ?? '' },
      basic(project),
    )
    // Clients in browsers read a body that has a type, and fail if it is empty.
    expect([revoked.status, revoked.headers.get('content-type'), revoked.text]).toEqual([200, null, ''])
    const other = sidOf(await logIn(world, project))
    await logoutAll()
    expect((await told()).map(({ sid }) => sid)).toEqual([other])
  })

  const change = async (id: string, oidc: object) =>
    call(world.url, 'PATCH', `/api/admin/projects/${id}`, { token: await givenAdmin(world), body: { oidc } })

  test('an address is taken by the rule of addresses for events', async () => {
    for (const uri of [
      'https://crew.example:22/x',
      'https://10.0.0.1/x',
      'https://intranet/x',
      'app.crew:/x',
    ]) {
      const refused = await change(project.id, { backchannelLogoutUri: uri })
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, '/oidc/backchannelLogoutUri'])
    }
    const taken = await change(project.id, { backchannelLogoutUri: 'https://CREW.example:443/x' })
    expect(taken.body.oidc.backchannelLogoutUri).toBe('https://crew.example/x')
    await change(project.id, { backchannelLogoutUri: receiver.uri })
  })
})
