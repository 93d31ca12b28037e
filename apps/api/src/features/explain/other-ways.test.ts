import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { everythingStored } from '../../../test/everything-stored.ts'
import { Browser, type GivenProject, givenProject } from '../../../test/given.ts'
import { authPath, clientUri, walk } from '../../../test/oidc.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { mainGuildId: club, gamesGuildId: games, users, roles } = demo

interface Step {
  readonly check: string
  readonly ok: boolean
}

describe.each(ciEngines)('POST /api/admin/explain, of other ways in, on %s', (engine) => {
  const world = worldForTests(engine, { TRUST_PROXY: '127.0.0.1,::1', RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  beforeAll(async () => {
    await call(world.url, 'POST', '/api/admin/servers', { ...admin, body: { id: games } })
  })

  const explain = async (project: GivenProject, memberId: string = users.ada, more: object = {}) => {
    const body = { projectId: project.id, memberId, ...more }
    const reply = await call(world.url, 'POST', '/api/admin/explain', { ...admin, body })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const change = async ({ id }: GivenProject, body: object) => {
    const reply = await call(world.url, 'PATCH', `/api/admin/projects/${id}`, { ...admin, body })
    expect(reply.status, reply.text).toBe(200)
  }
  const failed = ({ steps }: { steps: readonly Step[] }) =>
    steps.filter(({ ok }) => !ok).map(({ check }) => check)

  test('a project without another way in has none explained', async () => {
    const plain = await explain(await givenProject(world, { isInternal: true }))
    expect(Object.keys(plain)).not.toContain('protectedHosts')
    expect(Object.keys(plain)).not.toContain('openIdConnect')
  })

  test('a host says what its explanation said, role by role, and the outcome of the login stays', async () => {
    const host = 'wiki.example.org'
    const project = await givenProject(world, { isInternal: true })
    await change(project, { forwardAuth: { hosts: [host] } })
    const headers = {
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': host },
      ...{ 'x-forwarded-uri': '/', 'x-forwarded-method': 'GET' },
    }
    const onHost = new Browser(world.url)
    const onService = new Browser(world.url)
    const pathOf = (location: string | null) => {
      const { pathname, search } = new URL(location ?? '')
      return pathname + search
    }
    const start = await onHost.get('/_rolecall/start', headers)
    const authorize = await onService.get(pathOf(start.headers.get('location')))
    const back = await world.sim.login(authorize.headers.get('location') ?? '', { as: users.ada })
    const callback = await onService.get(pathOf(back))
    await onHost.get(pathOf(callback.headers.get('location')), headers)

    for (const [anyOf, status, code] of [
      [[], 200, null],
      [[roles.crew], 200, null],
      [[roles.captain], 403, 'ROLE_LACKING'],
    ] as const) {
      await change(project, { forwardAuth: { anyOf } })
      const sent = { ...headers, cookie: onHost.cookie }
      const asked = await call(world.url, 'GET', '/api/forward-auth', { headers: sent })
      expect(asked.status, asked.text).toBe(status)
      const stored = await everythingStored(world.service.deps.db)
      const explained = await explain(project)
      expect(await everythingStored(world.service.deps.db)).toEqual(stored)
      expect(explained.outcome).toBe('allowed')
      expect(explained.protectedHosts).toMatchObject({ hosts: [host], serverId: club, code })
      expect(failed(explained.protectedHosts)).toEqual(code ? ['host.any_of'] : [])
    }
    const lacking = (await explain(project)).protectedHosts.steps.find(
      ({ check }: { check: string }) => check === 'host.any_of',
    )
    // An administrator knows the role by its name.
    expect(lacking.detail).toBe('The member has none of the required roles: Captain.')
    const { protectedHosts } = await explain(project, users.ada, { assume: { addRoleIds: [roles.captain] } })
    expect(protectedHosts.outcome).toBe('allowed')
    // A host in a server that the project may not use ends each sign-in, regardless of the main server.
    await change(project, { forwardAuth: { serverId: games, anyOf: [] } })
    const elsewhere = await explain(project)
    expect([elsewhere.outcome, elsewhere.protectedHosts.serverId]).toEqual(['allowed', games])
    expect(elsewhere.protectedHosts.code).toBe('SERVER_NOT_ACCESSIBLE')
  })

  test('OpenID Connect is explained where it is on, in its own server, as its login ends', async () => {
    const project = await givenProject(world, {
      ...{ isInternal: true, redirectUris: [clientUri], oidc: { enabled: true } },
    })
    const ended = async (as: string) => (await walk(world, authPath(project), { as })).searchParams
    expect((await explain(project)).openIdConnect).toMatchObject({
      ...{ outcome: 'allowed', code: null, serverId: club },
    })
    expect((await ended(users.ada)).has('code')).toBe(true)
    expect((await explain(project, users.emil)).openIdConnect.code).toBe('access_denied')
    expect((await ended(users.emil)).get('error')).toBe('access_denied')

    await change(project, { oidc: { serverId: games } })
    const elsewhere = await explain(project)
    expect(elsewhere.outcome).toBe('allowed')
    expect(elsewhere.openIdConnect).toMatchObject({ outcome: 'refused', serverId: games })
    expect(failed(elsewhere.openIdConnect)).toContain('authorize.server_accessible')

    await change(project, { oidc: { serverId: null } })
    await call(world.url, 'DELETE', `/api/admin/projects/${project.id}/key`, admin)
    expect(failed((await explain(project)).openIdConnect)).toEqual(['oidc.client_authenticates'])
    await change(project, { oidc: { publicClient: true } })
    expect((await explain(project)).openIdConnect.outcome).toBe('allowed')
    await change(project, { oidc: { enabled: false } })
    expect(Object.keys(await explain(project))).not.toContain('openIdConnect')
  })
})
