import { demo } from '@rolecall/chat-sim'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { mainGuildId: main, gamesGuildId: games, users, roles } = demo

describe.each(mainEngines)('what scopes buy a project on %s', (engine) => {
  // Every single read asks the platform: the mirror is never fresh enough.
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  const admin = madeForTests(() => givenAdministration(world))
  const project = projectForTests(world)
  beforeEach(() => world.sim.reset())

  const get = (path: string, key = project.key) => call(world.url, 'GET', `/api/servers/${path}`, { key })
  const check = (body: unknown, key = project.key, server: string = main) =>
    call(world.url, 'POST', `/api/servers/${server}/permissions/check`, { key, body })

  describe('GET /api/servers/{serverId}/members/{memberId}', () => {
    test('200 returns a member who has never signed in, with their current roles', async () => {
      const reply = await get(`${main}/members/${users.tomas}`)
      expect(reply.status).toBe(200)
      expect(reply.body).toMatchObject({
        memberId: users.tomas,
        roles: expect.arrayContaining([expect.objectContaining({ roleId: roles.deckhand })]),
        joinedAt: expect.any(String),
      })
    })

    test('404 for someone who is not in the server, and for someone who left a moment ago', async () => {
      const absent = await get(`${main}/members/${users.emil}`)
      expect([absent.status, absent.body.code]).toEqual([404, 'MEMBER_NOT_FOUND'])
      expect((await get(`${main}/members/${users.joon}`)).status).toBe(200)
      world.sim.world.removeMember(main, users.joon)
      expect((await get(`${main}/members/${users.joon}`)).status).toBe(404)
    })

    test.each(['members/1', 'members/x', `members/18446744073709551616`, 'members/012345678901234567'])(
      '400 for %s',
      async (path) => {
        expect((await get(`${main}/${path}`)).status).toBe(400)
      },
    )
  })

  describe('POST /api/servers/{serverId}/permissions/check', () => {
    test('200: allowed is any of anyOf and all of allOf, with the roles highest first', async () => {
      const { body } = await check({ memberId: users.joon })
      expect(body).toMatchObject({ allowed: true, isMember: true })
      const held = body.roles.map(({ roleId }: { roleId: string }) => roleId)
      expect(held).toEqual(expect.arrayContaining([roles.captain, roles.portWatch]))
      const positions = body.roles.map(({ rolePosition }: { rolePosition: number }) => rolePosition)
      expect(positions).toEqual(positions.toSorted((a: number, b: number) => b - a))

      const allowed = async (question: object) =>
        (await check({ memberId: users.joon, ...question })).body.allowed
      expect(await allowed({ anyOf: [roles.steward, roles.captain] })).toBe(true)
      expect(await allowed({ anyOf: [roles.steward] })).toBe(false)
      expect(await allowed({ allOf: [roles.captain, roles.portWatch] })).toBe(true)
      expect(await allowed({ allOf: [roles.captain, roles.steward] })).toBe(false)
      expect(await allowed({ anyOf: [roles.captain], allOf: [roles.steward] })).toBe(false)
      expect(await allowed({ anyOf: ['123456789012345678'] })).toBe(false)
    })

    test('follows a change of roles at once', async () => {
      const question = { memberId: users.ada, anyOf: [roles.captain] }
      expect((await check(question)).body.allowed).toBe(false)
      world.sim.world.setRoles(main, users.ada, [roles.captain])
      expect((await check(question)).body.allowed).toBe(true)
    })

    test('200 for a person who is no member: not allowed, for every question', async () => {
      for (const question of [{}, { anyOf: [roles.crew] }]) {
        const reply = await check({ memberId: users.emil, ...question })
        expect([reply.status, reply.body]).toEqual([200, { allowed: false, isMember: false, roles: [] }])
      }
    })

    test.each([
      {},
      { memberId: '1' },
      { memberId: 5 },
      { memberId: users.ada, anyOf: [] },
      { memberId: users.ada, anyOf: roles.crew },
      { memberId: users.ada, allOf: ['x'] },
      { memberId: users.ada, noneOf: [] },
      { memberId: users.ada, anyOf: Array(101).fill(roles.crew) },
    ])('400 for %j', async (body) => {
      expect((await check(body)).status).toBe(400)
    })
  })

  describe('GET /api/servers/{serverId}/members', () => {
    /** Members with IDs of 17 to 19 digits, so that their order as text differs from that of numbers. */
    const ids = Array.from({ length: 25 }, (_, i) => String(99_999_999_999_999_990n + BigInt(i)))

    beforeAll(async () => {
      const { db } = world.service.deps
      await db.execute(sql`
        insert into members (id, username) select id, 'bulk ' || id from unnest(${ids}::text[]) as q (id)`)
      await db.execute(sql`
        insert into memberships (server_id, member_id, role_ids)
        select ${main}, id, ${[roles.crew]}::text[] from unnest(${ids}::text[]) as q (id)`)
    })

    const walk = async (limit: number, between: (page: number) => Promise<unknown> = async () => {}) => {
      const seen: string[] = []
      let cursor: string | null = null
      let page = 0
      do {
        const path: string = `${main}/members?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
        const { body } = await get(path)
        expect(body.data.length).toBeLessThanOrEqual(limit)
        seen.push(...body.data.map(({ memberId }: { memberId: string }) => memberId))
        cursor = body.nextCursor
        page += 1
        await between(page)
      } while (cursor)
      return seen
    }

    test('200 pages through every member exactly once, with any page size', async () => {
      const everyone = await walk(100)
      expect(everyone).toEqual(expect.arrayContaining(ids))
      expect(new Set(everyone).size).toBe(everyone.length)
      for (const limit of [1, 7, everyone.length]) expect(await walk(limit)).toEqual(everyone)
    })

    test('a member who stays while others leave between pages appears exactly once', async () => {
      const { db } = world.service.deps
      const leave = (page: number) =>
        db.execute(sql`update memberships set left_at = clock_now() where member_id = ${ids[page * 3] ?? ''}`)
      const seen = await walk(3, leave)
      expect(new Set(seen).size).toBe(seen.length)
      const { body } = await get(`${main}/members?limit=100`)
      expect(seen).toEqual(
        expect.arrayContaining(body.data.map(({ memberId }: { memberId: string }) => memberId)),
      )
    })

    test('each carries the roles in this server, and no e-mail', async () => {
      const { body, text } = await get(`${main}/members?limit=100`)
      const bulk = body.data.find(({ memberId }: { memberId: string }) => memberId === ids[1])
      expect(bulk).toMatchObject({ roles: [{ roleId: roles.crew, roleName: 'Crew' }] })
      expect(text).not.toContain('@')
    })

    test.each(['limit=0', 'limit=101', 'cursor=x', 'cursor=', 'cursor=1&cursor=2', 'offset=1', 'limit=1e1'])(
      '400 for ?%s',
      async (query) => {
        expect((await get(`${main}/members?${query}`)).status).toBe(400)
      },
    )
  })

  describe('403 SCOPE_REQUIRED', () => {
    const everything = async (key: string, server: string) => {
      const replies = [
        await get(`${server}/members`, key),
        await get(`${server}/members/${users.ada}`, key),
        await check({ memberId: users.ada }, key, server),
      ]
      return replies.map(({ status, body }) => (status === 403 ? body.code : status))
    }
    const refused = 'SCOPE_REQUIRED'

    test('each endpoint needs its own scope, and READ; a change is in force for the next request', async () => {
      const one = await givenProject(world)
      const set = (body: object) => admin.projects('PUT', `/${one.id}/servers/${main}`, body)
      expect(await everything(one.key, main)).toEqual([200, 200, 200])
      await set({ scopes: ['check_permissions'] })
      expect(await everything(one.key, main)).toEqual([refused, refused, 200])
      await set({ scopes: ['read_members'] })
      expect(await everything(one.key, main)).toEqual([200, 200, refused])
      await set({ operations: { READ: false } })
      expect(await everything(one.key, main)).toEqual([refused, refused, refused])
      await set({ operations: { READ: true } })
      await admin.projects('DELETE', `/${one.id}/servers/${main}`)
      expect(await everything(one.key, main)).toEqual([refused, refused, refused])
    })

    test('a server without mapping is answered as one that does not exist', async () => {
      await world.service.deps.db.execute(
        sql`insert into servers (id, name) values (${games}, 'Games') on conflict do nothing`,
      )
      const existing = await get(`${games}/members`)
      const made = await get('12345678901234567/members')
      const { requestId: a, ...first } = existing.body
      const { requestId: b, ...second } = made.body
      expect(first).toEqual(second)
      expect(a).not.toBe(b)
    })

    test('an internal project has the main server without a mapping, and what a mapping says with one', async () => {
      const internal = await givenProject(world, { isInternal: true, serverIds: [] })
      expect(await everything(internal.key, main)).toEqual([200, 200, 200])
      expect(await everything(internal.key, games)).toEqual([refused, refused, refused])
      await admin.projects('PUT', `/${internal.id}/servers/${main}`, { scopes: [] })
      expect(await everything(internal.key, main)).toEqual([refused, refused, refused])
    })

    test('401 comes before it: no key, a bad key, an inactive project', async () => {
      for (const [method, path] of [
        ['GET', `/api/servers/${main}/members`],
        ['GET', `/api/servers/${main}/members/${users.ada}`],
        ['POST', `/api/servers/${main}/permissions/check`],
      ] as const) {
        expect((await call(world.url, method, path)).status).toBe(401)
        expect((await call(world.url, method, path, { key: 'rck_x' })).status).toBe(401)
        const inactive = await givenProject(world, { isActive: false })
        expect((await call(world.url, method, path, { key: inactive.key })).body.code).toBe(
          'PROJECT_INACTIVE',
        )
      }
    })
  })
})

describe.each(mainEngines)('while the platform is down on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })

  test('the mirror is served, up to a day old; for someone it does not know the answer is 503', async () => {
    const { key } = await givenProject(world)
    const path = (memberId: string) => `/api/servers/${main}/members/${memberId}`
    const statusOf = async (memberId: string) =>
      (await call(world.url, 'GET', path(memberId), { key })).status
    const check = (memberId: string) =>
      call(world.url, 'POST', `/api/servers/${main}/permissions/check`, { key, body: { memberId } })
    expect(await statusOf(users.yusra)).toBe(200)
    await world.sim.down()
    expect(await statusOf(users.yusra)).toBe(200)
    expect((await check(users.yusra)).body.isMember).toBe(true)

    const unknown = await check('123456789012345678')
    expect([unknown.status, unknown.body.code]).toEqual([503, 'CHAT_PLATFORM_UNAVAILABLE'])
    expect(unknown.headers.get('retry-after')).toBeTruthy()

    await world.service.deps.db.execute(
      sql`update memberships set synced_at = clock_now() - interval '25 hours' where member_id = ${users.yusra}`,
    )
    expect(await statusOf(users.yusra)).toBe(503)
  })
})
