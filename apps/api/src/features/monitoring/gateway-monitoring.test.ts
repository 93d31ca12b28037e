import { demo } from '@rolecall/chat-sim'
import type { monitoring } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { until, untilLive } from '../../../test/live-mirror.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, emil } = demo.users

// Only PostgreSQL can have a row locked by another transaction; the embedded engine has one connection.
describe('monitoring says of the gateway', () => {
  const world = worldForTests('postgres', { CHAT_GATEWAY: 'on' })
  const admin = adminForTests(world)
  beforeAll(async () => {
    world.service.deps.liveMirror.start()
    await untilLive(world)
  })

  const platform = async () =>
    (await call<monitoring.SystemHealth>(world.url, 'GET', '/api/admin/monitoring/health', admin)).body
      .chatPlatform

  test('how many new sessions are left, that nothing waits, and that all is followed', async () => {
    const { sessionsLeft, lagMs, notLive } = await platform()
    expect(sessionsLeft).toBeGreaterThan(900)
    expect(lagMs).toBeGreaterThanOrEqual(0)
    expect(notLive).toEqual([])
  })

  test('how long a change has waited to be written', async () => {
    const { db } = world.service.deps
    await db.transaction(async (tx) => {
      await tx.query(
        sql`select from memberships where server_id = ${club} and member_id = ${emil} for update`,
      )
      await tx.query(sql`select from members where id = ${ada} for update`)
      world.sim.world.updateUser(ada, { global_name: 'Ada waits' })
      await until('it has waited', async () => ((await platform()).lagMs ?? 0) > 700)
    })
    await until('it is written', async () => (await platform()).lagMs === 0)
    await untilLive(world)
  })

  test('which server the bot was taken out of, by name, since when, and how to mend it', async () => {
    const before = Date.now()
    world.sim.world.kickBot(club)
    await until('it is known', async () => (await platform()).notLive?.[0]?.reason === 'lost')
    const { notLive, problem } = await platform()
    expect(notLive).toMatchObject([{ serverId: club, serverName: expect.stringContaining('Harbour') }])
    expect(Math.abs(Date.parse(notLive?.[0]?.since ?? '') - before)).toBeLessThan(15_000)
    expect(problem).toContain(`The bot is no longer in ${notLive?.[0]?.serverName}`)
    world.sim.world.inviteBot(club)
    await until('it is live again', async () => (await platform()).notLive?.length === 0)
    expect((await platform()).problem).toBeNull()
  })

  test('also when the bot was removed while the gateway was away', async () => {
    world.sim.gateway.forgetSessions()
    world.sim.world.kickBot(club)
    world.sim.gateway.dropAll()
    await until('it is known', async () => (await platform()).notLive?.[0]?.reason === 'lost')
    world.sim.world.inviteBot(club)
    await until('it is live again', async () => (await platform()).notLive?.length === 0)
  })

  test('repairable problems, during other failures', async () => {
    world.sim.gateway.setMemberIntent(false)
    world.sim.gateway.forgetSessions()
    world.sim.gateway.dropAll()
    await until('it is refused', async () => (await platform()).gateway === 'refused')
    world.sim.failFor('*', { status: 503 }, 60_000, { auth: 'bot' })
    const { chat } = world.service.deps
    await expect(chat.bot()).rejects.toThrow()
    const { status, problem } = await platform()
    expect(status).toBe('down')
    expect(problem).toContain('close code 4014, disallowed intents. Turn on "Server Members Intent"')
    expect(problem).toMatch(/Next attempt after a pause of \d+ s, at [\d:]{8} UTC\./)
    expect(problem).toMatch(/returned status 503|did not respond/)
    world.sim.clearFaults()
  })
})
