import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenAdmin, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('an e-mail on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  const emailOf = async (token: string) => (await validate(world, project, token)).body.member.email
  const { ada, mara } = demo.users

  test('is handed on while the platform says that it is verified, and forgotten when it no longer does', async () => {
    const { token } = await givenSession(world, project, ada)
    expect(await emailOf(token)).toBe('ada.osei@example.test')
    world.sim.world.updateUser(ada, { email: 'someone.else@example.test', verified: false })
    await givenSession(world, project, ada)
    expect(await emailOf(token)).toBeNull()
    world.sim.world.updateUser(ada, { verified: true })
    await givenSession(world, project, ada)
    expect(await emailOf(token)).toBe('someone.else@example.test')
  })

  test('stays when the platform reports another name without it', async () => {
    const { token } = await givenSession(world, project, mara)
    world.sim.world.updateUser(mara, { global_name: 'Mara of the north' })
    await world.service.deps.refreshMember(demo.mainGuildId, mara)
    const { member } = (await validate(world, project, token)).body
    expect(member).toMatchObject({ globalName: 'Mara of the north', email: expect.stringContaining('@') })
  })

  test('of an unverified admin is in no profile either', async () => {
    world.sim.world.updateUser(mara, { verified: false })
    const token = await givenAdmin(world)
    expect((await call(world.url, 'GET', '/api/admin/profile', { token })).body.email).toBeNull()
    world.sim.world.updateUser(mara, { verified: true })
  })
})
