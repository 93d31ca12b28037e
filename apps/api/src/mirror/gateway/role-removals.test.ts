import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#platform/db/database'
import { openDatabase } from '#platform/db/open-database'
import { sql } from '#platform/db/sql'
import { createLog } from '#platform/log'
import { call } from '../../../test/client.ts'
import { createDatabase, engines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { startRelay } from '../../../test/relay.ts'
import { LogSweep } from '../../../test/secrets.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { removeRole } from '../write-servers.ts'
import { createRoleRemovals } from './role-removals.ts'
import { acquireLease } from './store.ts'

const club = demo.mainGuildId
const { crew, captain } = demo.roles
const { ada, joon, tomas, rosa } = demo.users
const holders = 1_300
const most = { postgres: 500, pglite: 50 }

describe.each(engines)('a deleted role that over a thousand members hold, on %s', (engine) => {
  let world: World
  let removals: ReturnType<typeof createRoleRemovals>
  beforeEach(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
    const { db } = world.service.deps
    await addHolders(db)
    const lead = await db.transaction((tx) => acquireLease(tx, true))
    removals = createRoleRemovals(world.service.deps, lead?.epoch ?? 0)
  })
  afterEach(async () => {
    await removals.close()
    await world.close()
  })

  const rows = <Row>(statement: Parameters<World['service']['deps']['db']['query']>[0]) =>
    world.service.deps.db.query<Row>(statement)
  const holdersLeft = async () =>
    (await rows(sql`select from memberships where left_at is null and role_ids @> ${[crew]}::text[]`)).length
  const rolesOf = async (id: string) =>
    (await rows<{ ids: string[] }>(sql`select role_ids as ids from memberships where member_id = ${id}`))[0]
      ?.ids
  const untilTaken = () => expect.poll(holdersLeft, { timeout: 30_000 }).toBe(0)

  test('leaves every answer by a single entry of the change log', async () => {
    const noted = await world.service.deps.db.transaction(async (tx) => {
      await removeRole(tx, club, crew)
      return tx.query(sql`select kind, fact from session_changes where xid = pg_current_xact_id()`)
    })
    expect(noted).toEqual([{ kind: 'roles', fact: club }])
  })

  test('is taken from each of them once, in transactions of few rows, and from no one else', async () => {
    const others = await rows<{ id: string; xid: string }>(sql`
      select member_id as id, changed_xid::text as xid from memberships
      where not role_ids @> ${[crew]}::text[] order by member_id`)
    removals.start(club, crew)
    await untilTaken()
    const steps = await rows<{ count: number }>(sql`
      select count(*)::int as count from memberships where member_id like ${`${prefix}%`}
      group by changed_xid order by count desc`)
    expect(steps.reduce((sum, { count }) => sum + count, 0)).toBe(holders)
    expect(steps.length).toBeGreaterThanOrEqual(holders / most[engine])
    expect(steps[0]?.count).toBeLessThanOrEqual(most[engine])
    expect(await rolesOf(memberAt(0))).toEqual([captain])
    expect(
      await rows(sql`
        select member_id as id, changed_xid::text as xid from memberships
        where not member_id like ${`${prefix}%`} and member_id = any(${others.map(({ id }) => id)}::text[])
        order by member_id`),
    ).toEqual(others)
  })

  test('lets its holders be answered, refreshed, signed out, and changed meanwhile', async () => {
    const project = await givenProject(world)
    for (const id of [ada, joon, tomas]) world.sim.world.setRoles(club, id, [crew, captain])
    const [stays, refreshed, ended] = [
      await givenSession(world, project, ada),
      await givenSession(world, project, joon),
      await givenSession(world, project, tomas),
    ]
    const { db, chat, mirrorMember } = world.service.deps
    await db.transaction((tx) => removeRole(tx, club, crew))
    const renamed = await chat.member(club, rosa, 'login')
    if (!renamed) throw new Error('Rosa is no member')
    const told = (i: number) => {
      const member = {
        ...renamed,
        user: { ...renamed.user, id: memberAt(i) },
        roleIds: [captain],
        nick: `${i}`,
      }
      return mirrorMember(club, member.user, member, 'now')
    }
    removals.start(club, crew)
    const asked = async () => {
      const { status, body } = await validate(world, project, stays.token)
      return [status, body.roles.map(({ roleId }: { roleId: string }) => roleId)]
    }
    // In the opposite order of the steps.
    const changes = [1_299, 1_000, 700, 400, 100, 1].map(told)
    const refresh = call(world.url, 'POST', '/api/auth/token/refresh', {
      token: refreshed.token,
      body: { refreshToken: refreshed.refreshToken },
    })
    const logout = call(world.url, 'POST', '/api/auth/logout', {
      key: project.key,
      body: { token: ended.token },
    })
    for (let i = 0; i < 20; i++) expect(await asked()).toEqual([200, [captain]])
    expect([(await refresh).status, (await logout).status]).toEqual([200, 200])
    await Promise.all(changes)
    await untilTaken()
    expect(await asked()).toEqual([200, [captain]])
    expect(await rows(sql`select nick from memberships where member_id = ${memberAt(1_000)}`)).toEqual([
      { nick: '1000' },
    ])
  })
})

test('a removal goes on where it was when the database is back', async () => {
  const database = await createDatabase('postgres')
  const relay = await startRelay(database.url)
  const through = Object.assign(new URL(database.url), { port: new URL(relay.url).port })
  const [direct, db] = [await openDatabase(database.url), await openDatabase(through.href)]
  const logs = new LogSweep([])
  await direct.execute(sql`insert into servers (id, name) values (${club}, 'Club')`)
  await addHolders(direct)
  const lead = await direct.transaction((tx) => acquireLease(tx, true))
  const removals = createRoleRemovals({ db, log: createLog('debug', logs) }, lead?.epoch ?? 0)
  relay.cut()
  const before = relay.connections()
  removals.start(club, crew)
  await expect.poll(relay.connections, { timeout: 15_000 }).toBeGreaterThan(before)
  relay.mend()
  const left = () =>
    direct
      .query(sql`select from memberships where role_ids @> ${[crew]}::text[]`)
      .then(({ length }) => length)
  await expect.poll(left, { timeout: 30_000 }).toBe(0)
  await removals.close()
  expect(logs.lines).toEqual([])
  await Promise.all([db.close(), direct.close()])
  await relay.close()
  await database.drop()
})

const prefix = '3000000000000'
const memberAt = (i: number) => `${prefix}${String(i).padStart(5, '0')}`

/** Adds members who hold the role, and another one. */
async function addHolders(db: Database) {
  const ids = Array.from({ length: holders }, (_, i) => memberAt(i))
  await db.execute(sql`
    insert into members (id, username) select id, 'holder.' || id from unnest(${ids}::text[]) id`)
  await db.execute(sql`
    insert into memberships (server_id, member_id, role_ids)
    select ${club}, id, ${[crew, captain]}::text[] from unnest(${ids}::text[]) id`)
}
