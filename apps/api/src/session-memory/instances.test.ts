import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../test/client.ts'
import { mainEngines } from '../../test/databases.ts'
import {
  exchange,
  type GivenProject,
  type GivenSession,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  validate,
} from '../../test/given.ts'
import type { Service } from '../../test/service.ts'
import { worldForTests } from '../../test/world-for-tests.ts'

const { mainGuildId, gamesGuildId, users, roles } = demo

interface Given {
  readonly project: GivenProject
  readonly session: GivenSession
  readonly sessionId: string
}

/** Every mutation of the contract that a cached response can depend on, and the result of validate from then on. */
type Mutation = (given: Given) => Promise<{ status: number }>

describe.each(mainEngines)('answers from memory, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  let instances: Service[]
  let admin: string
  beforeAll(async () => {
    instances = [world.service]
    if (engine === 'postgres') instances.push(await world.another(), await world.another())
    admin = await givenAdmin(world)
  })

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: admin, ...(body && { body }) })
  const asProject = ({ project }: Given, path: string, body: object) =>
    call(world.url, 'POST', `/api/auth${path}`, { key: project.key, body })
  const everywhere = async ({ project, session }: Given) => {
    const replies = await Promise.all(instances.map(({ url }) => validate({ url }, project, session.token)))
    return replies.map(({ status, body }) => body.code ?? status)
  }
  const all = (answer: string | number) => instances.map(() => answer)
  /** Creates a session that every instance has validated and cached. */
  const given = async (memberId: string = users.ada): Promise<Given> => {
    const project = await givenProject(world)
    const session = await givenSession(world, project, memberId)
    const one = { project, session, sessionId: '' }
    expect(await everywhere(one)).toEqual(all(200))
    const { body } = await validate(world, project, session.token)
    return { ...one, sessionId: body.session.id }
  }

  test('are made without a statement', async () => {
    const one = await given()
    for (const { statementsOf, url } of instances) {
      const texts = await statementsOf(async () => {
        for (let i = 0; i < 50; i++) await validate({ url }, one.project, one.session.token)
      })
      // Leases are renewed and usage is recorded meanwhile; no statement reads a key or a session.
      expect(texts.filter((text) => /from api_keys/.test(text))).toEqual([])
    }
  })

  const endings: Record<string, [Mutation, answer: string]> = {
    'a refresh': [
      ({ session }) =>
        call(world.url, 'POST', '/api/auth/token/refresh', {
          token: session.token,
          body: { refreshToken: session.refreshToken },
        }),
      'INVALID_TOKEN',
    ],
    'a logout': [(one) => asProject(one, '/logout', { token: one.session.token }), 'INVALID_TOKEN'],
    'a logout by the refresh token': [
      (one) => asProject(one, '/logout', { token: one.session.refreshToken }),
      'INVALID_TOKEN',
    ],
    'a logout of all': [(one) => asProject(one, '/logout-all', { memberId: users.ada }), 'INVALID_TOKEN'],
    'a revocation': [
      ({ session, sessionId }) =>
        call(world.url, 'DELETE', `/api/auth/sessions/${sessionId}`, { token: session.token }),
      'INVALID_TOKEN',
    ],
    'a revocation of all': [
      ({ session }) => call(world.url, 'DELETE', '/api/auth/sessions', { token: session.token }),
      'INVALID_TOKEN',
    ],
    'an admin who ends all sessions of the member': [
      () => asAdmin('DELETE', `/members/${users.ada}/sessions`),
      'INVALID_TOKEN',
    ],
    'a block of the member': [
      () => asAdmin('PUT', `/members/${users.ada}/block`, { reason: 'Spam' }),
      'INVALID_TOKEN',
    ],
    'a block of the member that has ended': [
      async () => {
        await asAdmin('PUT', `/members/${users.ada}/block`, { reason: 'Spam' })
        return asAdmin('DELETE', `/members/${users.ada}/block`)
      },
      'INVALID_TOKEN',
    ],
    'an admin who ends the session': [
      ({ sessionId }) => asAdmin('DELETE', `/members/${users.ada}/sessions/${sessionId}`),
      'INVALID_TOKEN',
    ],
    'a revoked key': [({ project }) => asAdmin('DELETE', `/projects/${project.id}/key`), 'INVALID_API_KEY'],
    'a replaced key': [
      ({ project }) => asAdmin('POST', `/projects/${project.id}/regenerate-api-key`),
      'INVALID_API_KEY',
    ],
    'a project that is switched off': [
      ({ project }) => asAdmin('PATCH', `/projects/${project.id}`, { isActive: false }),
      'PROJECT_INACTIVE',
    ],
    'a project that is deleted': [
      ({ project }) => asAdmin('DELETE', `/projects/${project.id}`),
      'INVALID_API_KEY',
    ],
    'access that is taken': [
      ({ project }) => asAdmin('DELETE', `/projects/${project.id}/servers/${mainGuildId}`),
      'INVALID_TOKEN',
    ],
    'access without READ': [
      ({ project }) =>
        asAdmin('PUT', `/projects/${project.id}/servers/${mainGuildId}`, { operations: { READ: false } }),
      'INVALID_TOKEN',
    ],
  }
  test.each(Object.keys(endings))('after %s no instance answers as before', async (name) => {
    const [mutate, answer] = endings[name] as [Mutation, string]
    for (let round = 0; round < 4; round++) {
      const one = await given()
      expect((await mutate(one)).status).toBeLessThan(300)
      expect(await everywhere(one)).toEqual(all(answer))
      await asAdmin('DELETE', `/members/${users.ada}/block`)
    }
  })

  // The refusal follows a change: it must not be sent before every instance knows of that.
  test('after the refusal of a used code no instance takes the session that it made', async () => {
    for (let round = 0; round < 4; round++) {
      const project = await givenProject(world)
      const code = await givenCode(world, project)
      const session = (await exchange(world, project, code)).body as GivenSession
      const one = { project, session, sessionId: '' }
      expect(await everywhere(one)).toEqual(all(200))
      expect((await exchange(world, project, code)).status).toBe(401)
      expect(await everywhere(one)).toEqual(all('INVALID_TOKEN'))
    }
  })

  test('what is good again is good everywhere: a restored key; what lost access or a project switched off ended is not', async () => {
    const one = await given()
    const { id } = one.project
    const back: (() => Promise<{ status: number }>)[] = [
      () => asAdmin('DELETE', `/projects/${id}/key`),
      () => asAdmin('POST', `/projects/${id}/restore-key`),
      () => asAdmin('DELETE', `/projects/${id}/servers/${mainGuildId}`),
      () => asAdmin('PUT', `/projects/${id}/servers/${mainGuildId}`, {}),
      () => asAdmin('PATCH', `/projects/${id}`, { isActive: false }),
      () => asAdmin('PATCH', `/projects/${id}`, { isActive: true }),
    ]
    const over = 'INVALID_TOKEN'
    const answers = ['INVALID_API_KEY', 200, over, over, 'PROJECT_INACTIVE', over]
    for (const [i, mutate] of back.entries()) {
      expect((await mutate()).status).toBeLessThan(300)
      expect(await everywhere(one)).toEqual(all(answers[i] as string | number))
    }
  })

  test('roles, names and the end of a membership that one instance was told are the same on all', async () => {
    const { deps } = world.service
    const one = await given(users.joon)
    const rolesOf = async () =>
      Promise.all(
        instances.map(async ({ url }) =>
          (await validate({ url }, one.project, one.session.token)).body.roles.map(
            ({ roleId }: { roleId: string }) => roleId,
          ),
        ),
      )
    for (const held of [[roles.captain], [roles.crew], []]) {
      world.sim.world.setRoles(mainGuildId, users.joon, held)
      expect(await deps.refreshMember(mainGuildId, users.joon)).toBe('fresh')
      expect(await rolesOf()).toEqual(all(held as never))
    }
    world.sim.world.removeMember(mainGuildId, users.joon)
    await deps.refreshMember(mainGuildId, users.joon)
    expect(await everywhere(one)).toEqual(all('INVALID_TOKEN'))
  })

  test('a server that is removed ends its sessions everywhere', async () => {
    expect((await asAdmin('POST', '/servers', { id: gamesGuildId })).status).toBe(201)
    const project = await givenProject(world, { serverIds: [mainGuildId, gamesGuildId] })
    const code = await givenCode(world, project, users.mara, { server_id: gamesGuildId })
    const session = (await exchange(world, project, code)).body as GivenSession
    const one = { project, session, sessionId: '' }
    expect(await everywhere(one)).toEqual(all(200))
    expect((await asAdmin('DELETE', `/servers/${gamesGuildId}`)).status).toBe(204)
    expect(await everywhere(one)).toEqual(all('INVALID_TOKEN'))
  })

  test('the key, the bearer of a session and an admin are not read again either', async () => {
    const one = await given()
    const list = () => call(world.url, 'GET', '/api/auth/sessions', { token: one.session.token })
    const check = () =>
      call(world.url, 'POST', `/api/servers/${mainGuildId}/permissions/check`, {
        key: one.project.key,
        body: { memberId: users.ada },
      })
    const ask = async () => {
      for (const reply of [await list(), await check(), await asAdmin('GET', '/profile')])
        expect(reply.status).toBe(200)
    }
    await ask()
    const texts = await world.service.statementsOf(ask)
    expect(texts.filter((text) => /from api_keys/.test(text))).toEqual([])
  })
})
