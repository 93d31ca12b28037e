import { REST } from '@discordjs/rest'
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import type { GatewayDispatchPayload } from 'discord-api-types/v10'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ChatSim, demo, startChatSim } from '../index.ts'

let sim: ChatSim
const managers: WebSocketManager[] = []
beforeAll(async () => {
  sim = await startChatSim()
})
afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.destroy()))
  await sim.reset()
})
afterAll(() => sim.close())

const guilds = 1
const members = 2
const moderation = 4
const club = demo.mainGuildId
const { ada, mara } = demo.users

async function connect(options: Partial<ConstructorParameters<typeof WebSocketManager>[0]> = {}) {
  const sessions = new Map<number, SessionInfo | null>()
  const manager = new WebSocketManager({
    token: demo.botToken,
    intents: guilds | members,
    rest: new REST({ version: '10', api: sim.apiUrl }).setToken(demo.botToken),
    retrieveSessionInfo: (shard: number) => sessions.get(shard) ?? null,
    updateSessionInfo: (shard: number, info: SessionInfo | null) => void sessions.set(shard, info),
    buildIdentifyThrottler: () => ({ waitForIdentify: async () => {} }),
    helloTimeout: 300,
    ...options,
  } as ConstructorParameters<typeof WebSocketManager>[0])
  managers.push(manager)
  const heard: GatewayDispatchPayload[] = []
  const closed: number[] = []
  let resumed = 0
  manager.on(WebSocketShardEvents.Dispatch, (payload) => void heard.push(payload))
  manager.on(WebSocketShardEvents.Closed, (code) => void closed.push(code))
  manager.on(WebSocketShardEvents.Resumed, () => void resumed++)
  manager.on(WebSocketShardEvents.Error, () => {})
  const types = () => heard.map((payload) => payload.t as string)
  const until = (type: string, count = 1) =>
    vi.waitFor(
      () => expect(types().filter((each) => each === type).length).toBeGreaterThanOrEqual(count),
      5_000,
    )
  return {
    manager,
    heard,
    closed,
    types,
    until,
    dataOf: (type: string) =>
      heard.filter((payload) => payload.t === type).map((payload) => payload.d as object),
    untilResumed: (count = 1) => vi.waitFor(() => expect(resumed).toBeGreaterThanOrEqual(count), 5_000),
    start: async () => {
      await manager.connect()
      await until('GUILD_CREATE', 2)
    },
  }
}

async function connected(options: Parameters<typeof connect>[0] = {}) {
  const client = await connect(options)
  await client.start()
  return client
}

describe('with @discordjs/ws', () => {
  it('says READY, then each server with the bot alone as member', async () => {
    const { dataOf } = await connected()
    expect(dataOf('READY')).toMatchObject([
      {
        v: 10,
        user: { id: demo.clientId },
        guilds: [{ id: club, unavailable: true }, { id: demo.gamesGuildId }],
      },
    ])
    expect(dataOf('GUILD_CREATE')[0]).toMatchObject({
      id: club,
      member_count: 1_211,
      large: true,
      members: [{ user: { id: demo.clientId } }],
    })
  })

  it('tells of every live edit', async () => {
    const { heard, until } = await connected({ intents: guilds | members | moderation })
    const { world } = sim
    world.addMember(club, demo.users.emil)
    world.setRoles(club, ada, [demo.roles.captain])
    world.updateUser(mara, { username: 'mara.new' })
    world.createRole(club, { id: '1202796037459279999', name: 'Pilot' })
    world.updateRole(club, '1202796037459279999', { name: 'Harbour pilot' })
    world.deleteRole(club, '1202796037459279999')
    world.updateGuild(club, { name: 'Harbour Society' })
    world.ban(club, demo.users.tomas)
    world.unban(club, demo.users.tomas)
    world.setGuildUnavailable(club, true)
    world.setNick(club, ada, 'nobody hears this')
    world.setGuildUnavailable(club, false)
    world.kickBot(demo.gamesGuildId)
    await until('GUILD_DELETE', 2)
    expect(heard.slice(3).map(({ t, d }) => [t, d])).toMatchObject([
      ['GUILD_MEMBER_ADD', { guild_id: club, user: { id: demo.users.emil }, roles: [] }],
      ['GUILD_MEMBER_UPDATE', { user: { id: ada }, roles: [demo.roles.captain] }],
      ['GUILD_MEMBER_UPDATE', { guild_id: club, user: { username: 'mara.new' } }],
      ['GUILD_MEMBER_UPDATE', { guild_id: demo.gamesGuildId, user: { username: 'mara.new' } }],
      ['GUILD_ROLE_CREATE', { role: { name: 'Pilot' } }],
      ['GUILD_ROLE_UPDATE', { role: { name: 'Harbour pilot' } }],
      ['GUILD_ROLE_DELETE', { role_id: '1202796037459279999' }],
      ['GUILD_UPDATE', { name: 'Harbour Society' }],
      ['GUILD_BAN_ADD', { user: { id: demo.users.tomas } }],
      ['GUILD_MEMBER_REMOVE', { user: { id: demo.users.tomas } }],
      ['GUILD_BAN_REMOVE', { user: { id: demo.users.tomas } }],
      ['GUILD_DELETE', { id: club, unavailable: true }],
      ['GUILD_CREATE', { id: club }],
      ['GUILD_DELETE', { id: demo.gamesGuildId }],
    ])
  })

  it('keeps events from sessions without the intent for them', async () => {
    const { until, types } = await connected({ intents: guilds })
    sim.world.setRoles(club, ada, [])
    sim.world.ban(club, ada)
    sim.world.updateGuild(club, { name: 'After' })
    await until('GUILD_UPDATE')
    expect(types().slice(3)).toEqual(['GUILD_UPDATE'])
  })

  it.each([
    ['op 7', () => sim.gateway.reconnect()],
    ['a cut connection', () => sim.gateway.dropAll()],
    ['close 4000', () => sim.gateway.close(4000)],
    ['op 9 true', () => sim.gateway.invalidSession(true)],
  ])('replays what was missed after %s', async (_name, disturb) => {
    const { until, untilResumed, types } = await connected()
    disturb()
    sim.world.setNick(club, ada, 'missed')
    await untilResumed()
    await until('GUILD_MEMBER_UPDATE')
    expect(types().filter((type) => type === 'READY')).toHaveLength(1)
  })

  it.each([
    ['op 9 false', () => sim.gateway.invalidSession(false)],
    [
      'a forgotten session',
      () => {
        sim.gateway.forgetSessions()
        sim.gateway.dropAll()
      },
    ],
    [
      'a session that waited too long',
      () => {
        sim.gateway.setSessionLifetime(0)
        sim.gateway.dropAll()
        setTimeout(() => sim.clock.advance(10), 50)
      },
    ],
  ])('starts a new session after %s', async (_name, disturb) => {
    const { until } = await connected()
    disturb()
    await until('READY', 2)
  })

  it('is left by a client that it stopped answering, and taken up again', async () => {
    sim.gateway.setHeartbeatInterval(150)
    const { closed, untilResumed } = await connected()
    sim.gateway.freeze()
    await untilResumed()
    expect(closed).toContain(4200)
  })

  it('can stay silent, and ignore resumes', async () => {
    sim.gateway.noHello()
    const { manager, until } = await connect()
    const started = manager.connect()
    await vi.waitFor(() => expect(sim.gateway.state().connections).toBe(1))
    sim.gateway.noHello(false)
    await started
    await until('GUILD_CREATE')
    sim.gateway.ignoreResume()
    sim.gateway.dropAll()
    const hangs = { connections: 1, sessions: [{ isConnected: false }] }
    await vi.waitFor(() => expect(sim.gateway.state()).toMatchObject(hangs), 3_000)
  })

  it('closes with 4014 when the member intent is off', async () => {
    sim.gateway.setMemberIntent(false)
    const { manager } = await connect()
    await expect(manager.connect()).rejects.toThrow(/intents/i)
  })

  it('closes with 4004 on a wrong token', async () => {
    const { manager } = await connect({ token: 'wrong' })
    await expect(manager.connect()).rejects.toThrow(/Authentication/i)
  })
})

describe('delivery', () => {
  const nicks = (client: Awaited<ReturnType<typeof connected>>) =>
    client.dataOf('GUILD_MEMBER_UPDATE').map((d) => (d as { nick: string }).nick)
  const rename = (...names: string[]) => {
    for (const name of names) sim.world.setNick(club, ada, name)
  }

  it('loses, doubles and reorders events', async () => {
    const client = await connected()
    sim.gateway.loseDispatches(1)
    rename('a', 'b')
    sim.gateway.duplicateDispatches()
    rename('c')
    sim.gateway.duplicateDispatches(false)
    sim.gateway.reorderDispatches()
    rename('d', 'e', 'f')
    await client.until('GUILD_MEMBER_UPDATE', 6)
    expect(nicks(client)).toEqual(['b', 'c', 'c', 'e', 'd', 'f'])
  })

  it('delays events', async () => {
    const client = await connected()
    sim.gateway.delayDispatches(100)
    const before = performance.now()
    rename('late')
    await client.until('GUILD_MEMBER_UPDATE')
    expect(performance.now() - before).toBeGreaterThan(90)
  })
})
