import { readFile } from 'node:fs/promises'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('an e-mail on %s', (engine) => {
  let world: World
  let project: GivenProject
  beforeAll(async () => {
    world = await startWorld(engine)
    project = await givenProject(world)
  })
  afterAll(() => world.close())

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

  test('of an unverified admin is in no profile either', async () => {
    world.sim.world.updateUser(mara, { verified: false })
    const token = await givenAdmin(world)
    expect((await call(world.url, 'GET', '/api/admin/profile', { token })).body.email).toBeNull()
    world.sim.world.updateUser(mara, { verified: true })
  })

  test('that was stored when nobody asked whether it is verified is dropped, and read again at the next login', async () => {
    const { token } = await givenSession(world, project, ada)
    await world.service.deps.db.execute(sql`update members set email = 'old@example.test' where id = ${ada}`)
    expect(await emailOf(token)).toBe('old@example.test')
    const migration = new URL('../../../migrations/0066_verified_emails.sql', import.meta.url)
    await world.service.deps.db.script(await readFile(migration, 'utf8'))
    await world.service.deps.answers.confirm()
    expect(await emailOf(token)).toBeNull()
    await givenSession(world, project, ada)
    expect(await emailOf(token)).toBe('someone.else@example.test')
  })
})
