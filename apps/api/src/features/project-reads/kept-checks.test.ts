import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { type Service, startWorld, type World } from '../../../test/service.ts'

const server = demo.mainGuildId

describe.each(mainEngines)('permission checks from memory on %s', (engine) => {
  let world: World
  let instances: Service[]
  let project: GivenProject
  let admin: string
  beforeAll(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
    // Only one process can open the folder of the embedded engine.
    instances = engine === 'postgres' ? [world.service, await world.another()] : [world.service]
    admin = await givenAdmin(world)
  })
  afterAll(() => world.close())

  /** Creates a project with a member whom all instances have cached. */
  const given = async (input: Parameters<typeof givenProject>[1] = {}) => {
    project = await givenProject(world, input)
    const { token } = await givenSession(world, project)
    for (const { url } of instances) {
      expect((await validate({ url }, project, token)).status).toBe(200)
      await check(url)
    }
    return token
  }
  const check = (url: string, body: object = {}) =>
    call(url, 'POST', `/api/servers/${server}/permissions/check`, {
      key: project.key,
      body: { memberId: demo.users.ada, ...body },
    })
  const everywhere = (body?: object) => Promise.all(instances.map(({ url }) => check(url, body)))
  const codes = async () => (await everywhere()).map(({ status, body }) => body.code ?? status)
  const mapping = () => `/api/admin/projects/${project.id}/servers/${server}`

  test('ask the database for nothing', async () => {
    await given()
    for (const { statementsOf, url } of instances) {
      const texts = await statementsOf(async () => {
        for (let i = 0; i < 20; i++)
          expect((await check(url, { anyOf: [demo.roles.crew] })).body.allowed).toBe(true)
      })
      const reads = texts.filter((text) => /^\s*(select|with)/.test(text))
      expect(reads.filter((text) => /server_access|memberships|api_keys/.test(text))).toEqual([])
    }
  })

  test('tell a change of roles on the next request, on every instance', async () => {
    await given()
    const { deps } = world.service
    const rolesOf = async () =>
      (await everywhere()).map(({ body }) => body.roles.map((role: { roleId: string }) => role.roleId))
    const before = await rolesOf()
    world.sim.world.setRoles(server, demo.users.ada, [demo.roles.captain])
    await deps.refreshMember(server, demo.users.ada)
    await deps.answers.confirm()
    expect(await rolesOf()).toEqual(instances.map(() => [demo.roles.captain]))
    world.sim.world.setRoles(server, demo.users.ada, [demo.roles.crew])
    await deps.refreshMember(server, demo.users.ada)
    await deps.answers.confirm()
    expect(await rolesOf()).toEqual(before)
  })

  test('are refused once the scope, the access or the key is gone, and allowed when the scope is back', async () => {
    await given()
    expect(await codes()).toEqual(instances.map(() => 200))
    const put = (scopes: string[]) => call(world.url, 'PUT', mapping(), { token: admin, body: { scopes } })
    expect((await put(['read_members'])).status).toBe(200)
    expect(await codes()).toEqual(instances.map(() => 'SCOPE_REQUIRED'))
    expect((await put(['check_permissions'])).status).toBe(200)
    expect(await codes()).toEqual(instances.map(() => 200))
    expect((await call(world.url, 'DELETE', mapping(), { token: admin })).status).toBeLessThan(300)
    expect(await codes()).toEqual(instances.map(() => 'SCOPE_REQUIRED'))
  })

  test('know an internal project, which needs no mapping, and that a mapping narrows it', async () => {
    await given({ isInternal: true, serverIds: [] })
    expect(await codes()).toEqual(instances.map(() => 200))
    const body = { scopes: ['read_members'] }
    expect((await call(world.url, 'PUT', mapping(), { token: admin, body })).status).toBeLessThan(300)
    expect(await codes()).toEqual(instances.map(() => 'SCOPE_REQUIRED'))
    expect((await call(world.url, 'DELETE', mapping(), { token: admin })).status).toBeLessThan(300)
    expect(await codes()).toEqual(instances.map(() => 200))
  })

  test('tell that a member is none any more on the next request, on every instance', async () => {
    await given()
    world.sim.world.removeMember(server, demo.users.ada)
    await world.service.deps.refreshMember(server, demo.users.ada)
    await world.service.deps.answers.confirm()
    const replies = await everywhere()
    expect(replies.map(({ body }) => body.isMember)).toEqual(instances.map(() => false))
  })
})
