import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'

describe.each(engines)('sessions on %s', (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
  })
  afterAll(() => world.close())

  test('a login ends in a session that validates with the member’s roles', async () => {
    const project = await givenProject(world)
    const session = await givenSession(world, project, demo.users.ada)
    const reply = await validate(world, project, session.token)
    expect(reply.status).toBe(200)
    expect(reply.body.member.id).toBe(demo.users.ada)
    expect(reply.body.roles).toMatchObject([{ roleId: demo.roles.crew, roleName: 'Crew' }])
  })

  test('an admin session lists itself', async () => {
    const token = await givenAdmin(world)
    const reply = await call(world.url, 'GET', '/api/auth/sessions', { token })
    expect(reply.body.sessions).toHaveLength(1)
    expect(reply.body.sessions[0].projectId).toBeNull()
  })
})
