import { demo } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { engines } from '../../../test/databases.ts'
import { givenSession, validate } from '../../../test/given.ts'
import {
  isLive,
  liveMirrorForTests,
  memberEntries,
  until,
  untilLive,
  untilNotLive,
  untilTrue,
} from '../../../test/live-mirror.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, tomas, joon, rosa, yusra, kenji, mara } = demo.users

describe.each(engines)('the live mirror on %s', (engine) => {
  // With a TTL of 0, roles that the gateway does not vouch for would be read again with each validate.
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  liveMirrorForTests(world)
  const project = projectForTests(world)
  afterEach(async () => {
    await world.sim.up()
    world.sim.clearFaults()
    world.sim.world.setGuildUnavailable(club, false)
    await untilLive(world)
  })

  const rolesOf = async (token: string): Promise<string[]> =>
    (await validate(world, project, token)).body.roles.map(({ roleId }: { roleId: string }) => roleId)
  const statusOf = async (token: string) => (await validate(world, project, token)).status

  test('holds every server, role and member that the platform has', () => untilTrue(world, club, 1_000))

  test('leaves a server of thousands with the statistics that its lists are planned by', async () => {
    const { db } = world.service.deps
    expect(world.sim.world.guilds.get(club)?.members.size).toBeGreaterThan(1_000)
    const analyzed = await db.query(sql`
      select distinct tablename as name from pg_stats where tablename in ('members', 'memberships') order by name`)
    expect(analyzed).toEqual([{ name: 'members' }, { name: 'memberships' }])
  })

  test('shows a change of roles in the next validate within a second, without asking the platform', async () => {
    const session = await givenSession(world, project, ada)
    const asked = world.sim.journal.count('member')
    expect((await validate(world, project, session.token)).body.rolesSource).toBe('gateway')
    world.sim.world.setRoles(club, ada, [demo.roles.captain, demo.roles.quiet])
    const isShown = async () => (await rolesOf(session.token))[0] === demo.roles.captain
    await until('the new roles', isShown, 1_000)
    expect(world.sim.journal.count('member')).toBe(asked)
  })

  test('waits for the platform in no validate, also when that answers nothing at all', async () => {
    const session = await givenSession(world, project, ada)
    world.sim.failFor('*', { delayMs: 20_000 }, 60_000)
    const asked = world.sim.journal.count()
    world.sim.world.setRoles(club, ada, [demo.roles.guest])
    const from = performance.now()
    for (let i = 0; i < 100; i++) expect((await validate(world, project, session.token)).status).toBe(200)
    expect(performance.now() - from).toBeLessThan(10_000)
    expect(await rolesOf(session.token)).toEqual([demo.roles.guest])
    expect(world.sim.journal.count()).toBe(asked)
  })

  test('follows roles that are made, changed and removed, and takes removed ones from their holders', async () => {
    const { id } = world.sim.world.createRole(club, { name: 'Pilot', position: 40 })
    world.sim.world.setRoles(club, ada, [id, demo.roles.crew])
    world.sim.world.updateRole(club, id, { name: 'First pilot', color: 0x123456 })
    await untilTrue(world)
    world.sim.world.deleteRole(club, id)
    await untilTrue(world)
    const holders = () =>
      world.service.deps.db.query(sql`select from memberships where role_ids @> array[${id}]::text[]`)
    await until('nobody holds it', async () => (await holders()).length === 0)
  })

  test('follows names, nicknames, newcomers and servers', async () => {
    world.sim.world.updateUser(joon, { username: 'joon.renamed' })
    world.sim.world.setNick(club, joon, 'Skipper')
    world.sim.world.addMember(club, demo.users.noor)
    world.sim.world.updateGuild(club, { name: 'Harbour Club II' })
    await untilTrue(world)
  })

  test.each([
    ['leaves', tomas, () => world.sim.world.removeMember(club, tomas), 'member.leave'],
    ['is banned', rosa, () => world.sim.world.ban(club, rosa), 'member.ban'],
  ])(
    'ends the sessions of a member who %s within a second, with one audit entry',
    async (_, id, act, action) => {
      const session = await givenSession(world, project, id)
      world.sim.gateway.duplicateDispatches()
      act()
      await until('the session is over', async () => (await statusOf(session.token)) === 401, 1_000)
      await untilTrue(world)
      world.sim.gateway.duplicateDispatches(false)
      expect(await memberEntries(world, id)).toEqual([action])
    },
  )

  test('revives nothing when a member comes back', async () => {
    const session = await givenSession(world, project, yusra)
    world.sim.world.removeMember(club, yusra)
    world.sim.world.addMember(club, yusra, { roles: [demo.roles.crew] })
    await untilTrue(world)
    expect(await statusOf(session.token)).toBe(401)
    expect(await memberEntries(world, yusra)).toEqual(['member.leave'])
    const again = await givenSession(world, project, yusra)
    expect(await rolesOf(again.token)).toEqual([demo.roles.crew])
  })

  test('ends nothing while the server is unavailable, and reads it anew afterwards', async () => {
    const session = await givenSession(world, project, kenji)
    world.sim.world.setGuildUnavailable(club, true)
    await untilNotLive(world)
    expect(await statusOf(session.token)).toBe(200)
    // No event reports this: the platform drops changes of servers in an outage.
    world.sim.world.setRoles(club, kenji, [demo.roles.captain])
    world.sim.world.setGuildUnavailable(club, false)
    await untilLive(world)
    expect(await rolesOf(session.token)).toEqual([demo.roles.captain])
    expect(await memberEntries(world, kenji)).toEqual([])
  })

  test('ends nothing when the bot is thrown out, and is true again when it comes back', async () => {
    const session = await givenSession(world, project, mara)
    world.sim.world.kickBot(club)
    await untilNotLive(world)
    expect(await statusOf(session.token)).toBe(200)
    world.sim.world.inviteBot(club)
    await untilLive(world)
    await untilTrue(world)
    expect(await memberEntries(world, mara)).toEqual([])
    // Its own membership is a new one, as the time of joining shows.
    expect(await memberEntries(world, demo.users.bot)).toEqual(['member.leave'])
  })

  test('leaves out servers that are not registered, and begins with one that becomes it', async () => {
    const { db } = world.service.deps
    expect(await isLive(world, demo.gamesGuildId)).toBe(false)
    expect(await db.query(sql`select from memberships where server_id = ${demo.gamesGuildId}`)).toEqual([])
    await db.execute(sql`insert into servers (id, name) values (${demo.gamesGuildId}, 'Games')`)
    await untilLive(world, demo.gamesGuildId)
    await untilTrue(world, demo.gamesGuildId)
    await db.execute(sql`update servers set removed_at = clock_now() where id = ${demo.gamesGuildId}`)
    await untilNotLive(world, demo.gamesGuildId)
  })
})
