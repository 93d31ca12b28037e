import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  exchange,
  type GivenProject,
  givenAdmin,
  givenCode,
  givenProject,
  validate,
} from '../../../test/given.ts'
import type { World } from '../../../test/service.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const servers = '/api/admin/servers'
const main = `${servers}/${demo.mainGuildId}`
const games = `${servers}/${demo.gamesGuildId}`
const unknownId = '999999999999999999'

describe.each(mainEngines)('servers on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  beforeEach(async () => {
    world.sim.clearFaults()
    // One after the other: there are never two main servers, not even within a statement.
    await world.service.deps.db.execute(
      sql`update servers set is_main = false, removed_at = clock_now() where id <> ${demo.mainGuildId}`,
    )
    await world.service.deps.db.execute(sql`update servers set is_main = true where id = ${demo.mainGuildId}`)
  })

  const ask = (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...admin, ...(body !== undefined && { body }) })
  const add = (id: string, more = {}) => ask('POST', servers, { id, ...more })
  const audited = async () =>
    (
      await world.service.deps.db.query<{ action: string; actor: string; summary: string }>(
        sql`select action, actor_id as actor, summary from audit_log where action_type = 'server' order by seq`,
      )
    ).map(({ action }) => action)
  /** Returns the audit entries that an action writes. */
  const auditOf = async (run: () => Promise<unknown>) => {
    const before = (await audited()).length
    await run()
    return (await audited()).slice(before)
  }

  test('are listed newest first, with their members counted', async () => {
    expect((await add(demo.gamesGuildId)).status).toBe(201)
    const { body } = await ask('GET', servers)
    expect(body.total).toBe(2)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([demo.gamesGuildId, demo.mainGuildId])
    expect(body.data[1]).toMatchObject({ name: 'Harbour Club', isMain: true, memberCount: 1, lastSync: null })
  })

  test('are registered with the name and roles that the platform says', async () => {
    const entries = await auditOf(async () => {
      const reply = await add(demo.gamesGuildId)
      expect(reply.status).toBe(201)
      expect(reply.body).toMatchObject({ id: demo.gamesGuildId, name: 'Harbour Games', isMain: false })
      expect(reply.body.icon).toMatch(/^https:\/\/cdn\./)
    })
    expect(entries).toEqual(['server.create'])
    const roles = await ask('GET', `${games}/roles`)
    expect(roles.body).toMatchObject({ total: 3 })
    expect(roles.body.data[0]).toEqual({
      id: demo.gamesRoles.gameMaster,
      name: 'Game master',
      color: 0x8e44ad,
      position: 3,
      memberCount: 0,
    })
  })

  test('are registered once, also by two at the same time', async () => {
    const entries = await auditOf(async () => {
      const replies = await Promise.all([add(demo.gamesGuildId), add(demo.gamesGuildId)])
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
      expect((await add(demo.gamesGuildId)).body.code).toBe('SERVER_EXISTS')
    })
    expect(entries).toEqual(['server.create'])
  })

  test('need the bot in them', async () => {
    const entries = await auditOf(async () => {
      const unknown = await add(unknownId)
      expect([unknown.status, unknown.body.code]).toEqual([422, 'BOT_NOT_IN_SERVER'])
      const { id } = world.sim.world.addGuild({ name: 'Without the bot' })
      const without = await add(id)
      expect([without.status, without.body.code]).toEqual([422, 'BOT_NOT_IN_SERVER'])
    })
    expect(entries).toEqual([])
  })

  test.each([
    { status: 503 },
    { status: 429, retryAfterSec: 1 },
    { reset: true },
    { html200: true },
    { status: 401 },
  ])('cannot be registered while the platform answers %j, and nothing is written', async (fault) => {
    world.sim.failNext('guild', fault, { times: 5 })
    const entries = await auditOf(async () => {
      const reply = await add(demo.gamesGuildId)
      expect([reply.status, reply.body.code]).toEqual([503, 'CHAT_PLATFORM_UNAVAILABLE'])
      expect(reply.headers.get('retry-after')).toBeTruthy()
    })
    expect(entries).toEqual([])
    expect((await ask('GET', servers)).body.total).toBe(1)
  })

  test('never have a second main one among them', async () => {
    const entries = await auditOf(async () => {
      const second = await add(demo.gamesGuildId, { isMain: true })
      expect([second.status, second.body.code]).toEqual([409, 'MAIN_SERVER_EXISTS'])
      await add(demo.gamesGuildId)
      const flagged = await ask('PATCH', games, { isMain: true })
      expect([flagged.status, flagged.body.code]).toEqual([409, 'MAIN_SERVER_EXISTS'])
    })
    expect(entries).toEqual(['server.create'])
  })

  test('of two that become the main one at the same time, one does', async () => {
    await add(demo.gamesGuildId)
    expect((await ask('PATCH', main, { isMain: false })).body).toMatchObject({ isMain: false })
    const entries = await auditOf(async () => {
      const replies = await Promise.all([
        ask('PATCH', main, { isMain: true }),
        ask('PATCH', games, { isMain: true }),
      ])
      // The loser can also lose the right to ask, if the flag moves to a server in which they are not an admin.
      const lost = replies.find(({ status }) => status !== 200)
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(['MAIN_SERVER_EXISTS', 'NOT_SYSTEM_ADMIN']).toContain(lost?.body.code)
    })
    expect(entries).toEqual(['server.update'])
  })

  test('without a main one among them, admins of the configured server remain, and can log in', async () => {
    expect((await ask('PATCH', main, { isMain: false })).status).toBe(200)
    expect((await ask('GET', servers)).status).toBe(200)
    const other = await givenAdmin(world)
    expect((await call(world.url, 'PATCH', main, { token: other, body: { isMain: true } })).status).toBe(200)
  })

  test('change nothing and leave no entry when they are as asked', async () => {
    expect(await auditOf(() => ask('PATCH', main, { isMain: true }))).toEqual([])
  })

  test('make club members of their members with the main flag', async () => {
    const { db } = world.service.deps
    const isClubMember = async () =>
      (
        await db.maybeOne<{ is: boolean }>(sql`
        select is_club_member as is from members where id = ${demo.users.mara}`)
      )?.is
    expect(await isClubMember()).toBe(true)
    await ask('PATCH', main, { isMain: false })
    expect(await isClubMember()).toBe(false)
    await ask('PATCH', main, { isMain: true })
    expect(await isClubMember()).toBe(true)
  })

  test('end their sessions for good when they are removed, also when they come back', async () => {
    await add(demo.gamesGuildId)
    const project = await givenProject(world, { serverIds: [demo.gamesGuildId] })
    const session = await loginTo(world, project, demo.gamesGuildId)
    expect((await validate(world, project, session.token)).status).toBe(200)

    expect(await auditOf(() => ask('DELETE', games))).toEqual(['server.delete'])
    expect((await validate(world, project, session.token)).status).toBe(401)
    const { db } = world.service.deps
    const entry = await db.maybeOne(sql`
      select summary from audit_log where action = 'server.delete' order by seq desc limit 1`)
    expect(entry).toMatchObject({ summary: expect.stringMatching(/ was removed; 1 sessions ended\.$/) })
    const told = await db.query(sql`
      select data ->> 'reason' as reason from outbox where project_id = ${project.id} and type = 'session.revoked'`)
    expect(told).toEqual([{ reason: 'server_removed' }])
    expect((await ask('GET', servers)).body.total).toBe(1)
    expect((await ask('DELETE', games)).body.code).toBe('SERVER_NOT_FOUND')

    expect((await add(demo.gamesGuildId)).status).toBe(201)
    expect((await validate(world, project, session.token)).status).toBe(401)
    const again = await loginTo(world, project, demo.gamesGuildId)
    expect((await validate(world, project, again.token)).status).toBe(200)
  })

  test('cannot be removed as long as they decide who is an admin', async () => {
    const entries = await auditOf(async () => {
      const reply = await ask('DELETE', main)
      expect([reply.status, reply.body.code]).toEqual([409, 'MAIN_SERVER_REQUIRED'])
      await ask('PATCH', main, { isMain: false })
      expect((await ask('DELETE', main)).body.code).toBe('MAIN_SERVER_REQUIRED')
    })
    expect(entries).toEqual(['server.update'])
  })

  test('show roles as last read while the platform is down', async () => {
    await world.service.deps.db.execute(sql`
      update servers set roles_synced_at = clock_now() - interval '2 hours' where id = ${demo.mainGuildId}`)
    world.sim.failNext('guild', { status: 503 }, { times: 5 })
    const reply = await ask('GET', `${main}/roles`)
    expect(reply.status).toBe(200)
    expect(reply.body.data.at(0)).toMatchObject({ name: 'Steward' })
    const positions = reply.body.data.map(({ position }: { position: number }) => position)
    expect(positions).toEqual(positions.toSorted((a: number, b: number) => b - a))
  })

  test('unknown ones are 404, for every verb', async () => {
    const one = `${servers}/${unknownId}`
    const replies = await Promise.all([
      ask('PATCH', one, { isMain: false }),
      ask('DELETE', one),
      ask('POST', `${one}/sync`),
      ask('GET', `${one}/roles`),
    ])
    expect(replies.map(({ body }) => body.code)).toEqual(Array(4).fill('SERVER_NOT_FOUND'))
  })

  test('every problem of a body is named at once', async () => {
    const reply = await ask('POST', servers, { id: 5, isMain: 'yes', name: 'x' })
    expect(reply.status).toBe(400)
    const paths = reply.body.errors.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual(['/id', '/isMain', '/name'])
    expect((await ask('PATCH', main, {})).body.errors).toMatchObject([{ path: '/isMain', code: 'REQUIRED' }])
  })
})

async function loginTo(world: World, project: GivenProject, serverId: string) {
  const code = await givenCode(world, project, demo.users.noor, { server_id: serverId })
  const reply = await exchange(world, project, code)
  expect(reply.status).toBe(200)
  return reply.body
}
