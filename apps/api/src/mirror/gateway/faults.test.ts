import { demo } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { givenSession, validate } from '../../../test/given.ts'
import {
  beginAnew,
  leaveUnheard,
  liveMirrorForTests,
  memberEntries,
  until,
  untilLive,
  untilNotLive,
  untilTrue,
} from '../../../test/live-mirror.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, tomas, rosa, yusra, piper, layla } = demo.users
const { crew, captain } = demo.roles

describe.each(mainEngines)('the live mirror, when the platform misbehaves, on %s', (engine) => {
  const world = worldForTests(engine)
  const mirror = liveMirrorForTests(world)
  const project = projectForTests(world)
  afterEach(async () => {
    await world.sim.up()
    world.sim.clearFaults()
    world.sim.gateway.loseDispatches(0)
    world.sim.gateway.reorderDispatches(false)
    await untilLive(world)
  })

  const statusOf = async (token: string) => (await validate(world, project, token)).status
  const rolesOf = async (token: string): Promise<string[]> =>
    (await validate(world, project, token)).body.roles.map(({ roleId }: { roleId: string }) => roleId)

  test.each([
    ['unknown member', 10_007, tomas],
    ['unknown user', 10_013, rosa],
  ])('the platform’s own word ends it: %s (%i), once', async (_, code, memberId) => {
    const session = await givenSession(world, project, memberId)
    leaveUnheard(world, club, memberId)
    world.sim.failFor('member', { status: 404, code }, 60_000, { path: memberId })
    await beginAnew(world)
    await untilLive(world)
    expect(await statusOf(session.token)).toBe(401)
    expect(await memberEntries(world, memberId)).toEqual(['member.leave'])
    await beginAnew(world)
    await untilLive(world)
    expect(await memberEntries(world, memberId)).toEqual(['member.leave'])
  })

  test('what happened between a lost session and the next is repaired', async () => {
    const [gone, stays] = [await givenSession(world, project, yusra), await givenSession(world, project, ada)]
    world.sim.gateway.forgetSessions()
    world.sim.gateway.refuse(700)
    world.sim.gateway.dropAll()
    world.sim.world.removeMember(club, yusra)
    const { id } = world.sim.world.createRole(club, { name: 'Bosun', position: 30 })
    world.sim.world.setRoles(club, ada, [id])
    world.sim.world.setNick(club, piper, 'Night pilot')
    world.sim.world.updateGuild(club, { name: 'Harbour Club, refitted' })
    await untilTrue(world)
    await untilLive(world)
    expect(await rolesOf(stays.token)).toEqual([id])
    expect(await statusOf(gone.token)).toBe(401)
    expect(await memberEntries(world, yusra)).toEqual(['member.leave'])
    world.sim.world.deleteRole(club, id)
    await untilTrue(world)
  })

  test('what was told late is not taken for newer than what is read after it', async () => {
    const ids =
      world.sim.world.guilds
        .get(club)
        ?.members.page('0', 300)
        .map(({ user_id }) => user_id) ?? []
    const nameAll = (name: string) => {
      for (const id of ids) if (id !== demo.users.bot) world.sim.world.setNick(club, id, name)
    }
    world.sim.gateway.dropAll()
    nameAll('told late')
    world.sim.world.kickBot(club)
    nameAll('told to nobody')
    world.sim.world.inviteBot(club)
    await untilNotLive(world)
    await untilLive(world)
    await untilTrue(world)
    nameAll('')
  })

  test('a list that lacks some of its members ends none of them', async () => {
    const session = await givenSession(world, project, layla)
    const { chat } = world.service.deps
    const list = chat.members
    const withGaps: typeof list = async (...asked) => {
      const page = await list(...asked)
      return page.length < 1_000 ? page.filter(({ user }, i) => user.id !== layla && i % 20 > 0) : page
    }
    Object.assign(chat, { members: withGaps })
    try {
      await beginAnew(world)
      await untilLive(world)
    } finally {
      Object.assign(chat, { members: list })
    }
    await untilTrue(world)
    expect(await statusOf(session.token)).toBe(200)
    expect(await memberEntries(world, layla)).toEqual([])
  })

  test('a role that a member holds before anybody has told of it is shown as soon as it is known', async () => {
    const session = await givenSession(world, project, ada)
    world.sim.gateway.reorderDispatches()
    const early = world.sim.world.createRole(club, { name: 'Early', position: 31 })
    world.sim.world.setRoles(club, ada, [early.id, crew])
    await until('both', async () => (await rolesOf(session.token)).join() === [early.id, crew].join())
    world.sim.gateway.reorderDispatches(false)

    world.sim.gateway.loseDispatches(1)
    const unheard = world.sim.world.createRole(club, { name: 'Unheard', position: 32 })
    world.sim.world.setRoles(club, ada, [unheard.id, captain])
    const shown = [unheard.id, captain].sort()
    await until('it was read', async () => (await rolesOf(session.token)).toSorted().join() === shown.join())
    await untilTrue(world)
  })

  test('a refused gateway says why and what to do, also to who watches, and mends itself', async () => {
    const session = await givenSession(world, project, ada)
    world.sim.gateway.setMemberIntent(false)
    world.sim.gateway.close(4_014)
    await until('refused', () => mirror.status().gateway.state === 'refused')
    const { gateway, lastEventAt } = mirror.status()
    expect(gateway.problem).toContain('Server Members Intent')
    expect(lastEventAt).toBeInstanceOf(Date)
    expect(await statusOf(session.token)).toBe(200)
    world.sim.gateway.setMemberIntent(true)
    await untilLive(world)
    // The database reports it first: the leader has not yet received the result of its write.
    await expect
      .poll(() => mirror.status())
      .toMatchObject({
        isLeader: true,
        gateway: { state: 'connected', problem: null, shards: 1, latencyMs: expect.any(Number) },
        liveServerIds: [club],
      })
  })
})
