import { demo } from '@rolecall/chat-sim'
import { events as contract, formats } from '@rolecall/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type EventReader, openEvents } from '../../../test/event-reader.ts'
import {
  countRows,
  exchange,
  type GivenProject,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  validate,
} from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'

const { mainGuildId, users, roles } = demo
const ajv = new Ajv2020({ strict: false, formats })

describe.each(mainEngines)('events on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const open: EventReader[] = []
  const admin = adminForTests(world)
  afterEach(() => {
    for (const reader of open.splice(0)) {
      for (const { type, data } of reader.events) {
        const fits = ajv.validate(contract.Events[type], data)
        expect(fits, `${type} ${JSON.stringify(data)}: ${ajv.errorsText()}`).toBe(true)
      }
      reader.close()
    }
  })

  const listen = async (project: GivenProject, options: Parameters<typeof openEvents>[2] = {}) => {
    const reader = await openEvents(world.url, project, options)
    open.push(reader)
    return reader
  }
  const project = (path: string, { id }: GivenProject) =>
    call(world.url, 'POST', `/api/admin/projects/${id}/${path}`, admin)
  const asProject = ({ key }: GivenProject, path: string, body: object) =>
    call(world.url, 'POST', `/api/auth/${path}`, { key, body })
  const sessionOf = async (given: GivenProject, token: string) =>
    (await validate(world, given, token)).body.session.id as string
  const reread = (member: string) => world.service.deps.refreshMember(mainGuildId, member)

  describe('session.revoked', () => {
    test('is told of every way in which a session ends, with its reason, to its own project only', async () => {
      const given = await givenProject(world)
      const reader = await listen(given)
      const stranger = await listen(await givenProject(world))
      const expected: [string, string][] = []
      const next = async (reason: string) => {
        const session = await givenSession(world, given)
        expected.push([await sessionOf(given, session.token), reason])
        return session
      }

      await asProject(given, 'logout', { token: (await next('logout')).token })
      await asProject(given, 'logout', { token: (await next('logout')).refreshToken })
      await next('logout_all')
      await asProject(given, 'logout-all', { memberId: users.ada })
      const { token } = await next('revoked')
      const path = `/api/auth/sessions/${expected.at(-1)?.[0]}`
      await call(world.url, 'DELETE', path, { token })
      const code = await givenCode(world, given)
      const first = (await exchange(world, given, code)).body
      expected.push([await sessionOf(given, first.token), 'code_reused'])
      await exchange(world, given, code)
      const pair = await next('refresh_token_reused')
      const refresh = () =>
        call(world.url, 'POST', '/api/auth/token/refresh', {
          token: pair.token,
          body: { refreshToken: pair.refreshToken },
        })
      expect((await refresh()).status).toBe(200)
      await later(world.service, 60, refresh)

      await expect
        .poll(() =>
          reader.events
            .filter(({ type }) => type === 'session.revoked')
            .map(({ data }) => [
              (data as { sessionId: string }).sessionId,
              (data as { reason: string }).reason,
            ]),
        )
        .toEqual(expected)
      expect(reader.types().filter((type) => type !== 'session.revoked')).toEqual(['session.rotated'])
      expect(stranger.events).toEqual([])
    })

    test('of an admin session creates no event', async () => {
      const reader = await listen(await givenProject(world))
      const before = await countRows(world, 'outbox')
      await call(world.url, 'POST', '/api/auth/admin/logout', { token: await givenAdmin(world) })
      expect(await countRows(world, 'outbox')).toBe(before)
      expect(reader.events).toEqual([])
    })
  })

  describe('members', () => {
    test('who leave are told of, with the end of their sessions, to the projects that have one', async () => {
      const [given, other] = [await givenProject(world), await givenProject(world)]
      await givenSession(world, given, users.tomas)
      const [reader, stranger] = [await listen(given), await listen(other)]
      world.sim.world.removeMember(mainGuildId, users.tomas)
      await reread(users.tomas)
      await reader.until('session.revoked')
      expect(reader.types()).toEqual(['member.left', 'session.revoked'])
      expect(reader.events[0]?.data).toMatchObject({ memberId: users.tomas, serverId: mainGuildId })
      expect(reader.events[1]?.data).toMatchObject({ reason: 'member_left' })
      expect(stranger.events).toEqual([])
    })

    test('whose roles change cause one event; a member without a session causes none', async () => {
      const given = await givenProject(world)
      await givenSession(world, given, users.joon)
      await givenSession(world, given, users.joon)
      const reader = await listen(given)
      world.sim.world.setRoles(mainGuildId, users.joon, [roles.crew, roles.captain])
      await reread(users.joon)
      await reader.until('member.roles_changed')
      const before = await countRows(world, 'outbox')
      await reread(users.joon)
      world.sim.world.setRoles(mainGuildId, users.piper, [roles.captain])
      await reread(users.piper)
      expect(await countRows(world, 'outbox')).toBe(before)
      expect(reader.types()).toEqual(['member.roles_changed'])
      expect(reader.events[0]?.data).toMatchObject({ memberId: users.joon, serverId: mainGuildId })
    })

    test('by the ten thousand write no event when nothing changed, and one for each that did', async () => {
      const given = await givenProject(world)
      await givenSession(world, given, users.ada)
      // Ten thousand rows with their triggers: a request's time is not enough on a busy machine.
      const { db } = world.service.deps
      const execute = (statement: Sql) => db.transaction((tx) => tx.execute(statement), { long: true })
      await execute(sql`
        insert into members (id, username) select 400000000000000000 + n, 'm' || n from generate_series(1, 10000) n`)
      await execute(sql`
        insert into memberships (server_id, member_id, role_ids)
        select ${mainGuildId}, id, array[${roles.crew}] from members where id like '4000000000000%'`)
      await execute(sql`
        insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest,
          refresh_digest, expires_at, max_expires_at)
        select gen_random_uuid(), ${given.id}, id, ${mainGuildId}, 0, 't' || id, 'r' || id,
          clock_now() + interval '1 day', clock_now() + interval '1 day'
        from members where id like '40000000000000%' order by id limit 100`)
      const before = await countRows(world, 'outbox')
      await execute(sql`update memberships set synced_at = clock_now(), role_ids = role_ids || '{}'::text[]`)
      expect(await countRows(world, 'outbox')).toBe(before)
      await execute(sql`
        update memberships set role_ids = array[${roles.captain}] where member_id like '4000000000000%'`)
      expect(await countRows(world, 'outbox')).toBe(before + 100)
      await execute(sql`delete from sessions where token_digest like 't4%'`)
    })
  })

  describe('a project that ends', () => {
    test.each([
      [
        'key_revoked',
        ({ id }: GivenProject) => call(world.url, 'DELETE', `/api/admin/projects/${id}/key`, admin),
      ],
      ['key_regenerated', (given: GivenProject) => project('regenerate-api-key', given)],
      [
        'deactivated',
        ({ id }: GivenProject) =>
          call(world.url, 'PATCH', `/api/admin/projects/${id}`, { ...admin, body: { isActive: false } }),
      ],
      ['deleted', ({ id }: GivenProject) => call(world.url, 'DELETE', `/api/admin/projects/${id}`, admin)],
    ])('is told so (%s), and its streams end at once; those of others go on', async (reason, end) => {
      const [given, other] = [await givenProject(world), await givenProject(world)]
      const readers = [await listen(given), await listen(given)]
      const stranger = await listen(other, { heartbeat: 1 })
      expect((await end(given)).status).toBeLessThan(300)
      await Promise.all(readers.map(({ ended }) => ended))
      for (const reader of readers) {
        expect(reader.events.map(({ data }) => (data as { reason: string }).reason)).toContain(reason)
      }
      await expect.poll(() => stranger.heartbeats.length).toBeGreaterThan(1)
      expect(stranger.events).toEqual([])
    })

    test('may go on listening with its new key, from where it was', async () => {
      const given = await givenProject(world)
      const reader = await listen(given)
      const { body } = await project('regenerate-api-key', given)
      await reader.ended
      const again = await listen({ ...given, key: body.apiKey }, { lastId: reader.lastId() })
      const session = await givenSession(world, { ...given, key: body.apiKey })
      await asProject({ ...given, key: body.apiKey }, 'logout', { token: session.token })
      await again.until('session.revoked')
      expect(again.types()).toEqual(['session.revoked'])
    })

    test('may keep its key and lose a server: then it is told to forget what it keeps', async () => {
      const given = await givenProject(world)
      const reader = await listen(given)
      await call(world.url, 'DELETE', `/api/admin/projects/${given.id}/servers/${mainGuildId}`, admin)
      expect((await reader.until('reset')).data).toMatchObject({ reason: 'access_changed' })
    })
  })

  describe('a client that comes back', () => {
    test('goes on after the last event that it has, and where it heard of none, after the first id', async () => {
      const given = await givenProject(world)
      const reader = await listen(given)
      const start = reader.lastId()
      reader.close()
      const tokens = [await givenSession(world, given), await givenSession(world, given)]
      for (const { token } of tokens) await asProject(given, 'logout', { token })
      const all = await listen(given, { lastId: start })
      await expect.poll(() => all.types()).toEqual(['session.revoked', 'session.revoked'])
      const rest = await listen(given, { lastId: all.events[0]?.id ?? '' })
      await expect.poll(() => rest.events).toEqual([all.events[1]])
    })

    test('within a day misses nothing; later it is told to start anew', async () => {
      const given = await givenProject(world)
      const reader = await listen(given)
      const id = reader.lastId()
      reader.close()
      await asProject(given, 'logout', { token: (await givenSession(world, given)).token })
      await later(world.service, 24 * 3_600 - 30, async () => {
        const again = await listen(given, { lastId: id })
        await again.until('session.revoked')
        expect(again.types()).toEqual(['session.revoked'])
      })
      await later(world.service, 24 * 3_600 + 30, async () => {
        const again = await listen(given, { lastId: id })
        expect((await again.until('reset')).data).toMatchObject({ reason: 'too_far_behind' })
      })
    })

    test.each(['x', '1', '0-0-0-0', '-1-1-1', `${'9'.repeat(18)}-1-${(2e9).toString(36)}`, '1-1-zzzzzzzz'])(
      'with the unknown id %s is told to start anew, and then hears what happens',
      async (lastId) => {
        const given = await givenProject(world)
        const reader = await listen(given, { lastId })
        expect((await reader.until('reset')).data).toMatchObject({ reason: 'unknown_id' })
        await asProject(given, 'logout', { token: (await givenSession(world, given)).token })
        await reader.until('session.revoked')
      },
    )

    test('with an id of another project hears nothing of that project', async () => {
      const [given, other] = [await givenProject(world), await givenProject(world)]
      const theirs = await listen(other)
      await asProject(other, 'logout', { token: (await givenSession(world, other)).token })
      await theirs.until('session.revoked')
      const reader = await listen(given, { lastId: theirs.events[0]?.id ?? '', heartbeat: 1 })
      await expect.poll(() => reader.heartbeats.length).toBeGreaterThan(0)
      expect(reader.events).toEqual([])
    })
  })

  test('heartbeats say up to when everything has been told, and come as often as was asked for', async () => {
    const reader = await listen(await givenProject(world), { heartbeat: 1 })
    await expect.poll(() => reader.heartbeats.length).toBeGreaterThan(2)
    const [first = 0, second = 0, third = 0] = reader.heartbeats
    expect(first).toBeLessThan(2_000)
    // A late heartbeat shortens one gap, and lengthens the other.
    expect(Math.max(second - first, third - second)).toBeGreaterThan(900)
  })
})
