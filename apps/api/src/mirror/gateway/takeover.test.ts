import { demo } from '@rolecall/chat-sim'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readTime } from '#platform/db/read-time'
import { sql } from '#platform/db/sql'
import { givenProject, givenSession } from '../../../test/given.ts'
import { type Instance, startInstance } from '../../../test/instance.ts'
import { memberEntries, until, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, tomas, rosa } = demo.users

const world = worldForTests('postgres')
let instances: Instance[]
beforeAll(async () => {
  instances = await Promise.all([1, 2].map(() => startInstance(world.database.url, world.sim)))
  await untilLive(world)
}, 120_000)
afterEach(() => {
  for (const instance of instances) instance.wake()
})
afterAll(() => Promise.all(instances.map((instance) => instance.kill())))

const epochNow = async () =>
  (await world.service.deps.db.maybeOne<{ epoch: number }>(sql`select epoch from live_mirror`))?.epoch ?? 0

/** Adds and removes roles without a pause, until it is stopped. */
function editRoles() {
  const roles = [demo.roles.crew, demo.roles.guest, demo.roles.quiet, demo.roles.captain]
  const memberIds =
    world.sim.world.guilds
      .get(club)
      ?.members.page('0', 300)
      .map(({ user_id }) => user_id) ?? []
  let edits = 0
  const timer = setInterval(() => {
    edits += 1
    const role = roles[edits % roles.length] as string
    const id = memberIds[(edits * 7) % memberIds.length] as string
    if (world.sim.world.guilds.get(club)?.members.get(id)) world.sim.world.setRoles(club, id, [role])
  }, 5)
  return () => {
    clearInterval(timer)
    return edits
  }
}

async function untilTakenOver(since: number) {
  const startedAt = performance.now()
  await until('another instance leads', async () => (await epochNow()) > since, 10_000)
  return performance.now() - startedAt
}

test('one of two instances leads', async () => {
  expect(instances.map((instance) => instance.timesLeading()).sort()).toEqual([0, 1])
  await untilTrue(world)
})

test('a leader that hangs is replaced within 10 s, loses no edit, and writes nothing when it wakes', async () => {
  const project = await givenProject(world)
  await givenSession(world, project, tomas)
  const leader = instances.find((instance) => instance.timesLeading() > 0) as Instance
  const epoch = await epochNow()
  const stop = editRoles()
  leader.hang()
  world.sim.world.removeMember(club, tomas)
  expect(await untilTakenOver(epoch)).toBeLessThan(10_000)
  await untilLive(world)
  const edits = stop()
  expect(edits).toBeGreaterThan(100)
  await untilTrue(world)
  leader.wake()
  world.sim.world.setRoles(club, ada, [demo.roles.captain])
  await until('it knows that it lost the lead', () => leader.hasLostLeadership())
  await untilTrue(world)
  expect(await epochNow()).toBe(epoch + 1)
  expect(await memberEntries(world, tomas)).toEqual(['member.leave'])
}, 60_000)

/** Longer than a takeover needs, and shorter than the silence after which a leader counts as dead. */
const soonMs = 3_500

test('a leader that is killed is replaced at once, and the next one goes on with its session', async () => {
  instances.push(await startInstance(world.database.url, world.sim))
  await untilLive(world)
  const leader = instances.find((one) => one.timesLeading() > 0 && !one.hasLostLeadership()) as Instance
  const before = [world.sim.gateway.sessionStartsLeft(), world.sim.journal.count('members')]
  const stop = editRoles()
  await leader.kill()
  const killedAt = await readTime(world.service.deps.db)
  const startedAt = performance.now()
  const isVouched = async () =>
    (await world.service.deps.db.maybeOne(sql`
      select from servers where id = ${club} and live_until > clock_now() and live_as_of > ${killedAt}`)) !==
    undefined
  await until('the mirror is vouched for', isVouched)
  expect(performance.now() - startedAt).toBeLessThan(soonMs)
  expect(stop()).toBeGreaterThan(10)
  await untilTrue(world)
  expect([world.sim.gateway.sessionStartsLeft(), world.sim.journal.count('members')]).toEqual(before)
  instances.splice(instances.indexOf(leader), 1, await startInstance(world.database.url, world.sim))
}, 60_000)

test('a leader that is killed is replaced within 10 s, and no edit is lost', async () => {
  const epoch = await epochNow()
  const leader = instances.findLast(
    (instance) => instance.timesLeading() > 0 && !instance.hasLostLeadership(),
  ) as Instance
  const stop = editRoles()
  const leaving = (world.sim.world.guilds.get(club)?.members.page('0', 400) ?? [])
    .map(({ user_id }) => user_id)
    .slice(-20)
  for (const id of leaving.slice(0, 10)) world.sim.world.removeMember(club, id)
  world.sim.world.removeMember(club, rosa)
  await leader.kill()
  for (const id of leaving.slice(10)) world.sim.world.ban(club, id)
  expect(await untilTakenOver(epoch)).toBeLessThan(10_000)
  await untilLive(world)
  // The leader may be replaced within a second.
  expect(stop()).toBeGreaterThan(10)
  await untilTrue(world)
  expect(await memberEntries(world, rosa)).toEqual(['member.leave'])
  // Each departure is recorded once, also if the old leader had written it; a ban without an event is a leave.
  for (const id of leaving) expect(await memberEntries(world, id)).toHaveLength(1)
  const twice = await world.service.deps.db.query(sql`
    select target_id from audit_log where action_type = 'member' group by target_id having count(*) > 1`)
  expect(twice).toEqual([])
}, 60_000)
