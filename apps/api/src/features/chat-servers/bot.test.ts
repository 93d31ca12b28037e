import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('the bot on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  const bot = async () => (await call(world.url, 'GET', '/api/admin/bot', admin)).body

  test('is shown with every server that it is in, registered or not, and how it gets into others', async () => {
    const { name, inviteUrl, mayListMembers, servers } = await bot()
    expect({ name, mayListMembers }).toEqual({ name: expect.any(String), mayListMembers: true })
    expect(Object.fromEntries(new URL(inviteUrl).searchParams)).toEqual({
      client_id: world.sim.app.clientId,
      scope: 'bot',
      permissions: '0',
    })
    const registered = (id: string) =>
      servers.find((server: { id: string }) => server.id === id)?.isRegistered
    expect([registered(demo.mainGuildId), registered(demo.gamesGuildId)]).toEqual([true, false])
    await call(world.url, 'POST', '/api/admin/servers', { ...admin, body: { id: demo.gamesGuildId } })
    const after = (await bot()).servers
    expect(after.filter((server: { isRegistered: boolean }) => server.isRegistered)).toHaveLength(2)
  })

  test('says so where it may not list members, and 503 while the platform is down', async () => {
    world.sim.world.application.memberIntent = false
    expect((await bot()).mayListMembers).toBe(false)
    world.sim.world.application.memberIntent = true
    await world.sim.down()
    expect(await bot()).toMatchObject({ status: 503, code: 'CHAT_PLATFORM_UNAVAILABLE' })
    await world.sim.up()
  })
})
