import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { memberEntries, startLiveMirror, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'
import type { LiveMirror } from './status.ts'

const club = demo.mainGuildId
const { ada, tomas } = demo.users
const leavers = 2_000
/** One question takes a thirtieth of a second: asking about each would take a minute. */
const patienceMs = 30_000

describe.each(mainEngines)('members who left while the gateway was away, on %s', (engine) => {
  let world: World
  let mirror: LiveMirror
  let crowd: string[]
  beforeEach(async () => {
    world = await startWorld(engine)
    const people = new Set<string>(Object.values(demo.users))
    world.sim.world.bulkMembers(club, leavers, [demo.roles.crew])
    mirror = startLiveMirror(world.service)
    await untilLive(world)
    await mirror.close()
    const all = world.sim.world.guilds.get(club)?.members.page('0', 1_000_000) ?? []
    crowd = all.map(({ user_id }) => user_id).filter((id) => !people.has(id))
    world.sim.gateway.forgetSessions()
  }, 60_000)
  afterEach(async () => {
    world.sim.clearFaults()
    await mirror.close()
    await world.close()
  })

  test('are found by the list itself, with few questions about single members', async () => {
    const project = await givenProject(world)
    const leaving = await givenSession(world, project, tomas)
    const staying = await givenSession(world, project, ada)
    for (const id of [...crowd, tomas]) world.sim.world.removeMember(club, id)
    world.sim.journal.clear()
    mirror = startLiveMirror(world.service)
    await untilTrue(world, club, patienceMs)
    expect(world.sim.journal.count('member')).toBeLessThan(50)
    expect((await validate(world, project, leaving.token)).status).toBe(401)
    expect((await validate(world, project, staying.token)).status).toBe(200)
    const entries = await world.service.deps.db.query<{ target: string }>(
      sql`select target_id as target from audit_log where action = 'member.leave'`,
    )
    expect(entries.map(({ target }) => target).sort()).toEqual([...crowd, tomas].sort())
  }, 60_000)

  test('are asked about one by one when the list leaves out people who are there', async () => {
    const [left = '', ...hidden] = crowd.slice(0, 60)
    world.sim.world.removeMember(club, left)
    world.sim.failFor('members', { leavesOut: hidden }, 60_000)
    mirror = startLiveMirror(world.service)
    await untilLive(world)
    await untilTrue(world)
    expect(await memberEntries(world, left)).toEqual(['member.leave'])
    for (const id of hidden) expect(await memberEntries(world, id)).toEqual([])
    expect(world.service.logs.lines.join('')).toContain('member list incomplete')
  }, 60_000)

  test('are not taken for gone because a page ends early', async () => {
    const late = crowd.at(-1) ?? ''
    const asked = world.sim.journal.count('member')
    // The page is one short of full, as the last one is; the others come after it.
    world.sim.failNext('members', { leavesOut: crowd.slice(0, 1) })
    mirror = startLiveMirror(world.service)
    await untilLive(world)
    await untilTrue(world)
    expect(await memberEntries(world, late)).toEqual([])
    expect(world.sim.journal.count('member') - asked).toBeLessThan(10)
  }, 60_000)
})
