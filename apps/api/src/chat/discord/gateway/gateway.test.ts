import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { quick, until } from '../../../../test/live-mirror.ts'
import { createMemoryCache } from '../../../platform/cache/memory-cache.ts'
import { createLog } from '../../../platform/log.ts'
import type { ChatEvent, ChatGateway, ChatGatewayTiming } from '../../chat-gateway.ts'
import { createDiscordBudget } from '../rest/budget.ts'
import { createDiscordRest, type DiscordGet } from '../rest/rest.ts'
import { createDiscordGateway } from './gateway.ts'

const club = demo.mainGuildId
const { ada, tomas } = demo.users

let sim: ChatSim
const gateways: ChatGateway[] = []
beforeEach(async () => {
  sim = await startChatSim()
})
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
  await sim.close()
})

interface Opened {
  botToken?: string
  timing?: Partial<ChatGatewayTiming>
  /** Overrides the answer of `/gateway/bot`. */
  info?: { url?: string; shards?: number }
  /** Answers before that one, or errors to throw, in order. */
  first?: unknown[]
}

function open({ botToken = sim.app.botToken, timing = {}, info = {}, first = [] }: Opened = {}) {
  const lines: { level: number; msg: string }[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const budget = createDiscordBudget(log, createMemoryCache())
  const read = createDiscordRest({ apiUrl: sim.apiUrl, botToken, log, budget })
  const get: DiscordGet = async (...question) => {
    if (first.length === 0) return { ...(await read<object>(...question)), ...info } as never
    const said = first.shift()
    if (said instanceof Error) throw said
    return said as never
  }
  const gateway = createDiscordGateway({ get, botToken, log, timing: { ...quick.gateway, ...timing } })
  gateways.push(gateway)
  const heard: ChatEvent[] = []
  let sessions = 0
  let gaps = 0
  gateway.open({
    eventsMissed: (isAffected) => {
      if (isAffected(club)) gaps += 1
    },
    sessionStarted: () => {
      sessions += 1
    },
    received: (event) => void heard.push(event),
    beforeSession: async () => undefined,
    changed: () => {},
  })
  const isProven = () => gateway.maxStalenessMs(club) !== undefined
  return {
    gateway,
    heard,
    errors: () => lines.filter(({ level }) => level >= 50).map(({ msg }) => msg),
    sessions: () => sessions,
    gaps: () => gaps,
    isProven,
    untilProven: () => until('the connection is proven', isProven),
    untilNotProven: () => until('the connection is not proven', () => !isProven()),
    /** Changes a member, and waits until the event has arrived. */
    async untilTold(memberId: string = ada) {
      const nick = `nick ${Math.random()}`
      sim.world.setNick(club, memberId, nick)
      await until('the change was told', () =>
        heard.some((event) => event.kind === 'memberChanged' && event.member.nick === nick),
      )
    },
  }
}

describe('the address of the gateway', () => {
  const limit = { total: 1_000, remaining: 999, reset_after: 0, max_concurrency: 1 }
  const info = { url: 'ws://127.0.0.1:1', shards: 1, session_start_limit: limit }
  test.each<[string, unknown]>([
    ['a page', 'Just a moment...'],
    ['nothing', null],
    ['a list', []],
    ['no address', { ...info, url: undefined }],
    ['no shards', { ...info, shards: 0 }],
    ['half a shard', { ...info, shards: 1.5 }],
    ['no limit of sessions', { ...info, session_start_limit: undefined }],
    ['a limit without a time', { ...info, session_start_limit: { ...limit, reset_after: null } }],
  ])('is asked for again when the platform says %s', async (_, said) => {
    const client = open({ first: [said, said] })
    await client.untilProven()
    expect(client.errors()).toEqual([])
  })

  test('is asked for again after a fault of ours, which the log tells of', async () => {
    const client = open({ first: [new TypeError('ours')] })
    await client.untilProven()
    expect(client.errors()).toEqual(['gateway connection ended: internal error'])
  })
})

describe('a healthy connection', () => {
  test('tells of servers with their roles, and of what happens in them', async () => {
    const client = open()
    await client.untilProven()
    expect(client.heard).toMatchObject([
      { kind: 'serverAvailable', serverId: club, server: { name: 'Harbour Club' } },
      { kind: 'serverAvailable', serverId: demo.gamesGuildId },
    ])
    client.heard.length = 0
    sim.world.setRoles(club, ada, [demo.roles.captain])
    sim.world.ban(club, tomas)
    sim.world.deleteRole(club, demo.roles.quiet)
    sim.world.setGuildUnavailable(club, true)
    sim.world.kickBot(demo.gamesGuildId)
    await until('all of it', () => client.heard.length >= 6)
    expect(client.heard.map(({ kind }) => kind)).toEqual([
      'memberChanged',
      'memberBanned',
      'memberRemoved',
      'roleRemoved',
      'serverUnavailable',
      'serverLost',
    ])
  })

  test('has a session of its own beside another one of the same process', async () => {
    const [one, other] = [open(), open()]
    await one.untilProven()
    await other.untilProven()
    sim.gateway.dropAll()
    await one.untilNotProven()
    await one.untilProven()
    await other.untilProven()
    expect([one.sessions(), other.sessions()]).toEqual([1, 1])
    await one.untilTold()
    await other.untilTold()
  })

  test('leaves its session to the next leader when it is closed', async () => {
    const client = open()
    await client.untilProven()
    await client.gateway.close()
    await until('no connection', () => sim.gateway.state().connections === 0)
    expect(sim.gateway.state().sessions).toMatchObject([{ isConnected: false }])
    expect(client.isProven()).toBe(false)
  })
})

test('what was numbered and never came is noticed with the next that comes, once', async () => {
  const client = open({ timing: { silentAfterMs: 10_000, deadAfterMs: 20_000 } })
  await client.untilProven()
  sim.gateway.freeze()
  sim.world.setRoles(club, tomas, [])
  sim.gateway.thaw()
  await client.untilTold()
  expect(client.gaps()).toBe(1)
  await client.untilTold()
  sim.gateway.dropAll()
  await client.untilNotProven()
  await client.untilProven()
  await client.untilTold()
  expect([client.gaps(), client.sessions()]).toEqual([1, 1])
})

describe('what was missed is told after', () => {
  test.each([
    ['a cut', () => sim.gateway.dropAll()],
    ['opcode 7', () => sim.gateway.reconnect()],
    ['close code 4000', () => sim.gateway.close(4_000)],
    ['a connection that says nothing more', () => sim.gateway.freeze()],
  ])('%s, in the same session', async (_, disturb) => {
    const client = open()
    await client.untilProven()
    disturb()
    sim.world.setNick(club, ada, 'while away')
    await client.untilNotProven()
    await client.untilProven()
    expect(client.heard.at(-1)).toMatchObject({ kind: 'memberChanged', member: { nick: 'while away' } })
    expect(client.sessions()).toBe(1)
    await client.untilTold()
  })
})

describe('a new session begins after', () => {
  test.each([
    ['opcode 9, not resumable', () => sim.gateway.invalidSession(false)],
    ['close code 1000', () => sim.gateway.close(1_000)],
    ['close code 4007', () => sim.gateway.close(4_007)],
    [
      'close code 4009 of a session that is gone',
      () => {
        sim.gateway.forgetSessions()
        sim.gateway.close(4_009)
      },
    ],
    [
      'a resume that nobody answers',
      () => {
        sim.gateway.ignoreResume()
        sim.gateway.dropAll()
      },
    ],
    [
      'a time of refused connections',
      () => {
        sim.gateway.refuse(1_500)
        sim.gateway.dropAll()
      },
    ],
    [
      'a time without a first word',
      () => {
        sim.gateway.noHello()
        sim.gateway.dropAll()
      },
    ],
  ])('%s', async (_, disturb) => {
    const client = open()
    await client.untilProven()
    disturb()
    await client.untilNotProven()
    setTimeout(() => sim.gateway.noHello(false), 1_000)
    await until('a second session', () => client.sessions() === 2, 20_000)
    await client.untilProven()
    await client.untilTold()
  })

  test('the whole platform was away, at its start and later', async () => {
    await sim.down()
    const client = open()
    await until('it was tried', () => client.gateway.status().problem !== null)
    expect(client.gateway.status().state).toBe('connecting')
    await sim.up()
    await client.untilProven()
    await sim.down()
    await client.untilNotProven()
    await sim.up()
    await client.untilProven()
    await client.untilTold()
  })

  // A socket without a peer must be closed with a listener still in place for its late failure.
  test('an address where no server responds', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}).resume()))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const client = open({
      info: { url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}` },
      timing: { readyTimeoutMs: 500 },
    })
    await until('it was given up twice', () => sockets.size >= 3)
    expect(client.gateway.status()).toMatchObject({ state: 'connecting', problem: expect.any(String) })
    await client.gateway.close()
    await until('no socket is left', () => [...sockets].every(({ destroyed }) => destroyed), 20_000)
    silent.close()
  })
})

test.each([2, 8])(
  'where the platform asks for %i connections, each tells of its own servers',
  async (shards) => {
    const client = open({ info: { shards } })
    const servers = [club, demo.gamesGuildId]
    await until('both are proven', () =>
      servers.every((id) => client.gateway.maxStalenessMs(id) !== undefined),
    )
    await until('all are connected', () => client.gateway.status().state === 'connected')
    expect(client.gateway.status().shards).toBe(shards)
    expect(client.sessions()).toBe(shards)
    const told = sim.gateway.state().sessions.map(({ shard }) => shard.join(' of '))
    expect(told.sort()).toEqual(Array.from({ length: shards }, (_, i) => `${i} of ${shards}`))
    await client.untilTold()
  },
)

describe('a refusal is told once, with what to do', () => {
  test('the member intent is off', async () => {
    sim.gateway.setMemberIntent(false)
    const client = open()
    await until('refused', () => client.gateway.status().state === 'refused')
    expect(client.gateway.status().problem).toContain('Server Members Intent')
    await until('tried again', () => sim.journal.count('gateway') > 2)
    expect(client.errors()).toEqual([expect.stringContaining('Server Members Intent')])
    sim.gateway.setMemberIntent(true)
    await client.untilProven()
    expect(client.gateway.status()).toMatchObject({ state: 'connected', problem: null })
  })

  test('the bot token is wrong', async () => {
    const client = open({ botToken: 'wrong' })
    await until('refused', () => client.gateway.status().state === 'refused')
    expect(client.gateway.status().problem).toContain('CHAT_BOT_TOKEN')
    await until('tried again', () => sim.journal.count('gateway') > 2)
    expect(client.errors()).toEqual([expect.stringContaining('CHAT_BOT_TOKEN')])
  })

  test.each([4_004, 4_010, 4_011, 4_012, 4_013, 4_014])('close code %i', async (code) => {
    const client = open()
    await client.untilProven()
    sim.gateway.close(code)
    await client.untilNotProven()
    await until('connected again', () => client.gateway.status().state === 'connected')
    await client.untilProven()
    expect(client.errors()).toHaveLength(1)
  })
})
