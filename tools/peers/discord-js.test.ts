import { demo } from '@rolecall/chat-sim'
import { Client, Events, GatewayIntentBits } from 'discord.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { simForTests } from '../../apps/api/test/process-for-tests.ts'

const sim = simForTests()
let client: Client
beforeAll(async () => {
  client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
    rest: { api: sim.apiUrl, cdn: sim.cdnUrl },
  })
})
afterAll(() => client.destroy())

it('satisfies an unmodified discord.js client', async () => {
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve))
  await client.login(demo.botToken)
  await ready
  const guild = await client.guilds.fetch(demo.mainGuildId)
  expect(client.user?.bot).toBe(true)
  expect((await guild.members.fetch(demo.users.ada)).displayName).toBe('Ada (first mate)')
  await guild.members.fetch(demo.users.mara)
  expect(guild.roles.cache.get(demo.adminRoleId)?.members.has(demo.users.mara)).toBe(true)

  const updated = new Promise<string[]>((resolve) =>
    client.once(Events.GuildMemberUpdate, (_old, member) => resolve([...member.roles.cache.keys()])),
  )
  sim.world.setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.captain])
  expect(await updated).toContain(demo.roles.captain)

  const left = new Promise<string>((resolve) =>
    client.once(Events.GuildMemberRemove, (member) => resolve(member.id)),
  )
  sim.world.removeMember(demo.mainGuildId, demo.users.ada)
  expect(await left).toBe(demo.users.ada)
  expect((await client.users.fetch(demo.users.emil)).displayAvatarURL()).toContain(sim.cdnUrl)
})
