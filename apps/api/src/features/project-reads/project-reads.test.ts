import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenAdmin, givenProject, givenSession } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const server = `/api/servers/${demo.mainGuildId}`

describe.each(mainEngines)('what scopes buy a project, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  const project = projectForTests(world)
  beforeAll(async () => {
    for (const as of [demo.users.ada, demo.users.joon, demo.users.mara])
      await givenSession(world, project, as)
  })

  const only = async (scopes: string[]) => {
    const token = await givenAdmin(world)
    const body = { scopes }
    await call(world.url, 'PUT', `/api/admin/projects/${project.id}/servers/${demo.mainGuildId}`, {
      token,
      body,
    })
  }
  const get = (path: string, key = project.key) => call(world.url, 'GET', `${server}${path}`, { key })
  const check = (body: object, key = project.key) =>
    call(world.url, 'POST', `${server}/permissions/check`, { key, body })

  test('read_members pages through the members without gaps or repeats', async () => {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await get(`/members?limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map((one: { memberId: string }) => one.memberId))
      if (body.nextCursor === null) break
      cursor = body.nextCursor
    }
    expect(seen).toEqual([demo.users.ada, demo.users.joon, demo.users.mara].sort())
  })

  test('one member is answered with live roles; who is none is 404', async () => {
    world.sim.world.setRoles(demo.mainGuildId, demo.users.joon, [demo.roles.crew])
    const { body } = await get(`/members/${demo.users.joon}`)
    expect(body).toMatchObject({
      memberId: demo.users.joon,
      roles: [{ roleId: demo.roles.crew, roleName: 'Crew' }],
    })
    expect((await get(`/members/${demo.users.emil}`)).body.code).toBe('MEMBER_NOT_FOUND')
  })

  test('check_permissions answers anyOf, allOf and both', async () => {
    const memberId = demo.users.ada
    const { crew, captain } = demo.roles
    const allowed = async (body: object) => (await check({ memberId, ...body })).body.allowed
    expect(await allowed({})).toBe(true)
    expect(await allowed({ anyOf: [captain, crew] })).toBe(true)
    expect(await allowed({ allOf: [captain, crew] })).toBe(false)
    expect(await allowed({ anyOf: [captain] })).toBe(false)
    expect(await allowed({ anyOf: [crew], allOf: [crew] })).toBe(true)
    expect((await check({ memberId: demo.users.emil })).body).toEqual({
      allowed: false,
      isMember: false,
      roles: [],
    })
  })

  test('each is refused without its scope, and a server without mapping is refused the same', async () => {
    await only(['check_permissions'])
    expect((await get('/members')).body.code).toBe('SCOPE_REQUIRED')
    expect((await get(`/members/${demo.users.ada}`)).body.code).toBe('SCOPE_REQUIRED')
    await only(['read_members'])
    expect((await check({ memberId: demo.users.ada })).body.code).toBe('SCOPE_REQUIRED')
    const stranger = await givenProject(world, { serverIds: [] })
    expect((await get('/members', stranger.key)).body.code).toBe('SCOPE_REQUIRED')
    const nowhere = await call(world.url, 'GET', '/api/servers/1100000000000000009/members', {
      key: project.key,
    })
    expect(nowhere.body.code).toBe('SCOPE_REQUIRED')
    expect((await get('/members', 'rck_nonsense')).status).toBe(401)
  })
})
