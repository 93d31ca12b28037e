import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { type Instance, startInstance } from '../../../test/instance.ts'
import { isLive, until, untilTrue } from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'

/** Of group 1 and of group 0 of 2. */
const [club, quay] = [demo.mainGuildId, '1100089314341027841']
const { ada, tomas } = demo.users
const patienceMs = 60_000

let world: World
let instances: Instance[] = []
const startOne = () => startInstance(world.database.url, world.sim, { GATEWAY_GROUPS: '2' })
beforeAll(async () => {
  world = await startWorld('postgres')
  world.sim.world.addGuild({ id: quay, name: 'Quay' })
  for (const id of [demo.users.bot, ada, tomas]) world.sim.world.addMember(quay, id)
  await world.service.deps.db.execute(sql`insert into servers (id, name) values (${quay}, 'Quay')`)
  instances = await Promise.all([startOne(), startOne()])
}, 180_000)
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()))
  await world.close()
})

const holders = async () => {
  const rows = await world.service.deps.db.query<{ holder: string }>(sql`
    select distinct holder from live_mirror where beat_at > clock_now() - interval '3 seconds'`)
  return rows.map(({ holder }) => holder)
}
const untilLedBy = (count: number) =>
  until(`${count} lead`, async () => (await holders()).length === count, patienceMs)
const untilAllLive = () =>
  until('all is live', async () => (await isLive(world, club)) && isLive(world, quay), patienceMs)
const untilAllTrue = async () => {
  for (const id of [club, quay]) await untilTrue(world, id, patienceMs)
}

test('of two instances each leads a group; when one is killed the other leads both, and a third takes one over', async () => {
  await untilLedBy(2)
  await untilAllLive()
  const before = await holders()
  const [killed, left] = instances as [Instance, Instance]
  await killed.kill()
  world.sim.world.setRoles(club, ada, [demo.roles.captain])
  world.sim.world.setNick(quay, ada, 'Quartermaster')
  world.sim.world.removeMember(quay, tomas)
  await untilLedBy(1)
  await untilAllLive()
  await untilAllTrue()
  const [only = ''] = await holders()
  expect(before).toContain(only)

  instances = [left, await startOne()]
  await untilLedBy(2)
  await untilAllLive()
  expect(await holders()).toContain(only)
  world.sim.world.setRoles(club, tomas, [demo.roles.crew])
  world.sim.world.setNick(quay, ada, 'Harbour master')
  await untilAllTrue()
}, 240_000)
