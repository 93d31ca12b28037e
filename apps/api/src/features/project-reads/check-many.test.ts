import { demo } from '@rolecall/chat-sim'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenAdmin, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const server = demo.mainGuildId
const { crew, captain, steward } = demo.roles
const ids = Array.from({ length: 1_000 }, (_, i) => String(99_999_999_999_999_000n + BigInt(i)))

interface Checked {
  readonly memberId: string
  readonly allowed: boolean
  readonly isMember: boolean
  readonly roles: readonly { readonly roleId: string }[]
  readonly rolesSource: string
  readonly rolesAsOf: string | null
}

describe.each(mainEngines)('POST /api/servers/{serverId}/permissions/check-many on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  beforeAll(async () => {
    await givenSession(world, project)
    const { db } = world.service.deps
    await db.execute(sql`
      insert into members (id, username) select id, 'bulk ' || id from unnest(${ids}::text[]) as q (id)`)
    await db.execute(sql`
      insert into memberships (server_id, member_id)
      select ${server}, id from unnest(${ids}::text[]) as q (id)`)
  })
  beforeEach(() => changeAll(sql`role_ids = ${[crew]}::text[], left_at = null, synced_at = clock_now()`))

  const changeAll = (what: ReturnType<typeof sql>) =>
    world.service.deps.db.execute(sql`update memberships set ${what} where member_id = any(${ids}::text[])`)
  const ask = (body: object, key = project.key) =>
    call(world.url, 'POST', `/api/servers/${server}/permissions/check-many`, { key, body })
  const check = async (body: object): Promise<Checked[]> => {
    const reply = await ask(body)
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data
  }
  const first = ids.slice(0, 3)

  test('200: a thousand members in their order, in one statement', async () => {
    let found: Checked[] = []
    const texts = await world.service.statementsOf(async () => {
      found = await check({ memberIds: ids.toReversed(), anyOf: [crew, captain] })
    })
    expect(found.map(({ memberId }) => memberId)).toEqual(ids.toReversed())
    expect(found.every(({ allowed, rolesSource }) => allowed && rolesSource === 'rest')).toBe(true)
    expect(texts.filter((text) => /join memberships/.test(text))).toHaveLength(1)
    expect(world.sim.journal.count('member')).toBeLessThan(5)
  })

  test('each says what a check of that member alone says', async () => {
    const { db } = world.service.deps
    await db.execute(
      sql`update memberships set role_ids = ${[captain, crew]}::text[] where member_id = ${ids[0]}`,
    )
    await db.execute(sql`update memberships set role_ids = '{}' where member_id = ${ids[1]}`)
    await db.execute(sql`update roles set name = 'Crew ⚓ é' where server_id = ${server} and id = ${crew}`)
    await db.execute(sql`update memberships set left_at = clock_now() where member_id = ${ids[2]}`)
    const memberIds = [...first, demo.users.ada]
    for (const wanted of [
      {},
      { anyOf: [captain] },
      { allOf: [captain, crew] },
      { anyOf: [crew], allOf: [steward] },
    ]) {
      for (const { rolesSource, rolesAsOf, memberId, ...said } of await check({ memberIds, ...wanted })) {
        const alone = await call(world.url, 'POST', `/api/servers/${server}/permissions/check`, {
          key: project.key,
          body: { memberId, ...wanted },
        })
        expect({ memberId, ...said }).toEqual({ memberId, ...alone.body })
        expect([rolesSource, Date.parse(rolesAsOf ?? '')]).toEqual(['rest', expect.any(Number)])
      }
    }
  })

  test('members of whom sessions are kept are answered without a statement about them', async () => {
    const { token } = await givenSession(world, project)
    await validate(world, project, token)
    await check({ memberIds: [demo.users.ada] })
    const texts = await world.service.statementsOf(async () => {
      expect(await check({ memberIds: [demo.users.ada], anyOf: [crew] })).toMatchObject([{ allowed: true }])
    })
    expect(texts.filter((text) => /from memberships|server_access/.test(text))).toEqual([])
  })

  test('roles that are not fresh come from the mirror and say so, and no member is requested again', async () => {
    await changeAll(sql`synced_at = clock_now() - interval '2 hours'`)
    const asked = world.sim.journal.count('member')
    for (const one of await check({ memberIds: first, anyOf: [crew] })) {
      expect(one).toMatchObject({ allowed: true, isMember: true, rolesSource: 'mirror' })
      expect(Date.now() - Date.parse(one.rolesAsOf ?? '')).toBeGreaterThan(3_600_000)
    }
    expect(world.sim.journal.count('member')).toBe(asked)
  })

  test('what is unknown, or too old to be served, allows nothing and says that nothing is known', async () => {
    await changeAll(sql`synced_at = clock_now() - interval '25 hours'`)
    for (const memberId of [ids[0], '100000000000000001']) {
      expect(await check({ memberIds: [memberId] })).toEqual([
        { memberId, allowed: false, isMember: false, roles: [], rolesSource: 'mirror', rolesAsOf: null },
      ])
    }
  })

  test('while the gateway vouches for the server, a person who is not in its mirror is no member', async () => {
    const { db } = world.service.deps
    await db.execute(sql`
      update servers set live_as_of = clock_now(), live_until = clock_now() + interval '1 hour' where id = ${server}`)
    const [absent, known] = await check({ memberIds: ['100000000000000001', ids[0]] })
    expect(absent).toMatchObject({ isMember: false, rolesSource: 'gateway', rolesAsOf: expect.any(String) })
    expect(known).toMatchObject({ isMember: true, rolesSource: 'gateway', rolesAsOf: absent?.rolesAsOf })
    await db.execute(sql`update servers set live_as_of = null, live_until = null where id = ${server}`)
  })

  test.each([
    {},
    { memberIds: [] },
    { memberIds: 'x' },
    { memberIds: ['1'] },
    { memberIds: [ids[0], ids[0]] },
    { memberIds: [...ids, '100000000000000001'] },
    { memberIds: first, anyOf: [] },
    { memberIds: first, memberId: ids[0] },
  ])('400 for what is no list of up to a thousand different members, case %#', async (body) => {
    expect((await ask(body)).status).toBe(400)
  })

  test('403 without the scope, 401 without a key', async () => {
    const token = await givenAdmin(world)
    const path = `/api/admin/projects/${project.id}/servers/${server}`
    await call(world.url, 'PUT', path, { token, body: { scopes: ['read_members'] } })
    expect((await ask({ memberIds: first })).body.code).toBe('SCOPE_REQUIRED')
    await call(world.url, 'PUT', path, { token, body: { scopes: ['check_permissions'] } })
    expect((await ask({ memberIds: first })).status).toBe(200)
    expect((await ask({ memberIds: first }, 'rck_x')).body.code).toBe('INVALID_API_KEY')
  })
})
