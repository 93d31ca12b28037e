import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { readTime } from '#platform/db/read-time'
import { sql } from '#platform/db/sql'
import { liveMirrorForTests, until, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId

// Tests a row that another transaction locks, which needs PostgreSQL: the embedded engine has one connection.
const world = worldForTests('postgres')
const mirror = liveMirrorForTests(world)

const asOf = async () => {
  const row = await world.service.deps.db.maybeOne<{ at: Date | null }>(
    sql`select live_as_of as at from servers where id = ${club}`,
  )
  return row?.at?.getTime() ?? 0
}

test('a resumed session is vouched for as of before its gap until all that happened in it is written', async () => {
  const { db } = world.service.deps
  const { ada } = demo.users
  await db.transaction(async (tx) => {
    await tx.query(sql`select from memberships where server_id = ${club} and member_id = ${ada} for update`)
    world.sim.gateway.dropAll()
    const changedAt = (await readTime(db)).getTime()
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    await until('it was told', () => mirror.status().pending > 0)
    for (let looks = 0; looks < 40; looks++) {
      expect(await asOf()).toBeLessThanOrEqual(changedAt)
      await sleep(10)
    }
  })
  await untilLive(world)
  await untilTrue(world)
})
