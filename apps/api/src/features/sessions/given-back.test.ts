import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenProject, givenSession, redirectUri, validate } from '../../../test/given.ts'
import { clientUri, givenClient, logIn } from '../../../test/oidc.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('what is given back to a project on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const administrator = adminForTests(world)

  const admin = async (method: string, path: string, body?: unknown) => {
    const reply = await call(world.url, method, `/api/admin/projects/${path}`, {
      ...{ ...administrator, ...(body !== undefined && { body }) },
    })
    expect(reply.status, reply.text).toBeLessThan(300)
  }
  const mapping = ({ id }: GivenProject) => `${id}/servers/${demo.mainGuildId}`
  const status = async (project: GivenProject, session: string) =>
    (await validate(world, project, session)).status

  test('READ revives no session that ended with it, by a change of the mapping or by a new one', async () => {
    const project = await givenProject(world)
    for (const takeAway of [
      () => admin('PUT', mapping(project), { operations: { READ: false } }),
      () => admin('DELETE', mapping(project)),
    ]) {
      const { token: ended } = await givenSession(world, project)
      expect(await status(project, ended)).toBe(200)
      await takeAway()
      expect(await status(project, ended)).toBe(401)
      await admin('PUT', mapping(project), { operations: { READ: true } })
      expect(await status(project, ended)).toBe(401)
      const { token: made } = await givenSession(world, project)
      expect(await status(project, made)).toBe(200)
      // A change that leaves READ as it is ends nothing.
      await admin('PUT', mapping(project), { operations: { READ: true, SEND_MESSAGES: true } })
      expect(await status(project, made)).toBe(200)
    }
  })

  test('a mapping to what an internal project reads anyway ends nothing, also when it is internal no more', async () => {
    const project = await givenProject(world, { isInternal: true, serverIds: [] })
    const { token: held } = await givenSession(world, project)
    await admin('PUT', mapping(project), {})
    await admin('PATCH', project.id, { isInternal: false })
    expect(await status(project, held)).toBe(200)
  })

  test('the main server revives no session of an internal project that ended without it', async () => {
    const project = await givenProject(world, { isInternal: true, serverIds: [] })
    const server = async (isMain: boolean) => {
      const path = `/api/admin/servers/${demo.mainGuildId}`
      const reply = await call(world.url, 'PATCH', path, { ...administrator, body: { isMain } })
      expect(reply.status, reply.text).toBe(200)
    }
    for (const [takeAway, giveBack] of [
      [
        () => admin('PATCH', project.id, { isInternal: false }),
        () => admin('PATCH', project.id, { isInternal: true }),
      ],
      [() => server(false), () => server(true)],
    ] as const) {
      const { token: ended } = await givenSession(world, project)
      expect(await status(project, ended)).toBe(200)
      await takeAway()
      expect(await status(project, ended)).toBe(401)
      await giveBack()
      expect(await status(project, ended)).toBe(401)
      expect(await status(project, (await givenSession(world, project)).token)).toBe(200)
    }
  })

  test('a project with a mapping loses nothing when it becomes internal and the mapping goes', async () => {
    const project = await givenProject(world)
    const { token: held } = await givenSession(world, project)
    await admin('PATCH', project.id, { isInternal: true })
    await admin('DELETE', mapping(project))
    expect(await status(project, held)).toBe(200)
  })

  test('a slow transaction that switches OpenID Connect on revives no session that began and ended meanwhile', async () => {
    // PGlite has one connection: no sign-in can happen during a transaction.
    if (engine !== 'postgres') return
    const project = await givenClient(world)
    const me = async (bearer: string) => (await call(world.url, 'GET', '/oidc/me', { token: bearer })).status
    const { db } = world.service.deps
    const ended = await db.transaction(async (tx) => {
      await tx.query(sql`select clock_now()`)
      const { access_token } = await logIn(world, project)
      await admin('PATCH', project.id, { oidc: { enabled: false } })
      await tx.execute(sql`update oidc_clients set enabled = true where project_id = ${project.id}`)
      return access_token
    })
    expect(await me(ended)).toBe(401)
    expect(await me((await logIn(world, project)).access_token)).toBe(200)
  })

  test('OpenID Connect, switched on again, revives none of its sessions, and no other session ended', async () => {
    const project = await givenClient(world, { redirectUris: [clientUri, redirectUri] })
    const me = async (bearer: string) => (await call(world.url, 'GET', '/oidc/me', { token: bearer })).status
    const { access_token: ended } = await logIn(world, project)
    const { token: other } = await givenSession(world, project)
    expect(await me(ended)).toBe(200)
    await admin('PATCH', project.id, { oidc: { enabled: false } })
    await admin('PATCH', project.id, { oidc: { enabled: true } })
    expect(await me(ended)).toBe(401)
    expect(await me((await logIn(world, project)).access_token)).toBe(200)
    expect(await status(project, other)).toBe(200)
  })
})
