import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyChain } from '#audit/verify-chain'
import { sql } from '#platform/db/sql'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { memberEntries, startLiveMirror, until, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'
import type { LiveMirror } from './status.ts'

const { mainGuildId: club, gamesGuildId: games } = demo
const { ada, tomas } = demo.users
const leavers = 1_200
const patienceMs = 50_000

/** A prune, a raid that is cleaned up: very many leave at once. */
describe.each(mainEngines)('a mass departure on %s', (engine) => {
  let world: World
  let mirror: LiveMirror
  let pruned: string[]
  let player = ''
  beforeEach(async () => {
    world = await startWorld(engine)
    await world.service.deps.db.execute(sql`insert into servers (id, name) values (${games}, 'Games')`)
    world.sim.world.bulkMembers(club, leavers, [demo.roles.crew])
    mirror = startLiveMirror(world.service)
    await untilLive(world, club)
    await untilLive(world, games)
    const all = world.sim.world.guilds.get(club)?.members.page('0', 1_000_000) ?? []
    player = world.sim.world.guilds.get(games)?.members.page('0', 1)[0]?.user_id ?? ''
    pruned = all.map(({ user_id }) => user_id).filter((id) => !Object.values<string>(demo.users).includes(id))
  })
  afterEach(async () => {
    await mirror.close()
    await world.close()
  })

  test('ends each membership with its sessions and one entry of an unbroken audit log', async () => {
    const project = await givenProject(world)
    const leaving = await givenSession(world, project, tomas)
    const staying = await givenSession(world, project, ada)
    for (const id of [...pruned, tomas]) world.sim.world.removeMember(club, id)
    await untilTrue(world, club, patienceMs)
    expect((await validate(world, project, leaving.token)).status).toBe(401)
    expect((await validate(world, project, staying.token)).status).toBe(200)
    const { db } = world.service.deps
    const entries = await db.query<{ target: string }>(
      sql`select target_id as target from audit_log where action = 'member.leave'`,
    )
    expect(entries.map(({ target }) => target).sort()).toEqual([...pruned, tomas].sort())
    expect(await verifyChain({ db })).not.toHaveProperty('problem')
  })

  test('delays no change of another server until it is over', async () => {
    for (const id of pruned) world.sim.world.removeMember(club, id)
    await until('the first were told', () => mirror.status().pending > 0)
    world.sim.world.setNick(games, player, 'while others leave')
    let pending = 0
    await until('the other change is written', async () => {
      const { db } = world.service.deps
      const row = await db.maybeOne<{ nick: string }>(
        sql`select nick from memberships where server_id = ${games} and member_id = ${player}`,
      )
      pending = mirror.status().pending
      return row?.nick === 'while others leave'
    })
    expect(pending).toBeGreaterThan(0)
    await untilTrue(world, club, patienceMs)
  })

  test('tells apart who left, who was banned, and who came back in the middle of it', async () => {
    const [left = '', banned = '', back = ''] = pruned
    for (const id of pruned) {
      if (id === banned) world.sim.world.ban(club, id)
      else world.sim.world.removeMember(club, id)
      if (id === back) world.sim.world.addMember(club, id)
    }
    await untilTrue(world, club, patienceMs)
    expect(await memberEntries(world, left)).toEqual(['member.leave'])
    expect(await memberEntries(world, banned)).toEqual(['member.ban'])
    expect(await memberEntries(world, back)).toEqual(['member.leave'])
  })
})
