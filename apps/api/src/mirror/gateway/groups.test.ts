import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { engines } from '../../../test/databases.ts'
import { isLive, startLiveMirror, until, untilTrue } from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'
import type { LiveMirror } from './status.ts'
import { giveUpLead } from './store.ts'
import { takeGroup } from './take-lead.ts'
import { takeTurn } from './take-turn.ts'

/** The demo's servers are of group 1 of 2, and so is its main server; the one beside it is of group 0. */
const [club, games, quay] = [demo.mainGuildId, demo.gamesGuildId, '1100089314341027841']
const servers = [club, games, quay]
const { ada, tomas } = demo.users
/** A busy machine is given time. */
const patienceMs = 30_000

describe.each(engines)('a gateway in groups, on %s', { timeout: 120_000 }, (engine) => {
  let world: World
  let mirrors: LiveMirror[]
  beforeEach(async () => {
    world = await startWorld(engine)
    mirrors = []
    world.sim.world.addGuild({ id: quay, name: 'Quay' })
    for (const id of [demo.users.bot, ada, tomas]) world.sim.world.addMember(quay, id)
    await world.service.deps.db.execute(
      sql`insert into servers (id, name) values (${games}, 'Games'), (${quay}, 'Quay')`,
    )
  })
  afterEach(async () => {
    await Promise.all(mirrors.map((mirror) => mirror.close()))
    await world.close()
  })

  const start = (groups: number) => {
    const started = startLiveMirror(world.service, { groups })
    mirrors.push(started)
    return started
  }
  const stop = async (mirror: LiveMirror) => {
    mirrors = mirrors.filter((one) => one !== mirror)
    await mirror.close()
  }
  const untilAllLive = () =>
    until(
      'all servers are live',
      async () => (await Promise.all(servers.map(live))).every(Boolean),
      patienceMs,
    )
  const live = (serverId: string) => isLive(world, serverId)
  const untilAllTrue = async () => {
    for (const id of servers) await untilTrue(world, id, patienceMs)
  }
  const untilEachLeads = () =>
    until('each leads', () => mirrors.every((mirror) => mirror.status().vouched.length > 0), patienceMs)
  const hasHandovers = async () => {
    const rows = await world.service.deps.db.query(sql`select from live_mirror where handover is not null`)
    return rows.length === 2
  }
  const shardsOfSessions = () =>
    world.sim.gateway
      .state()
      .sessions.filter(({ isConnected }) => isConnected)
      .map(({ shard }) => shard.join('/'))
      .sort()

  test('is led by an instance that is alone, all of it', async () => {
    const mirror = start(2)
    await untilAllLive()
    await untilAllTrue()
    expect(mirror.status()).toMatchObject({ isLeader: true, gateway: { state: 'connected', shards: 2 } })
    await until('it vouches for all', () => mirror.status().vouched.length === servers.length)
    expect(shardsOfSessions()).toEqual(['0/2', '1/2'])
  })

  if (engine === 'pglite') return

  test('is spread over instances, which hand groups over with their sessions', async () => {
    const first = start(2)
    await untilAllLive()
    await until('both groups can be handed over', hasHandovers, patienceMs)
    const begun = world.sim.gateway.sessionStartsLeft()
    const second = start(2)
    await untilEachLeads()
    await untilAllLive()
    const vouched = [first, second].map((mirror) => [...mirror.status().vouched].sort())
    expect(vouched.sort()).toEqual([[club, games].sort(), [quay]].sort())
    expect(world.sim.gateway.sessionStartsLeft()).toBe(begun)
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    world.sim.world.setNick(quay, ada, 'Quartermaster')
    world.sim.world.removeMember(quay, tomas)
    await untilAllTrue()

    // The other one leads everything again, and all can see it.
    await stop(first)
    await untilAllLive()
    world.sim.world.setRoles(club, tomas, [demo.roles.captain])
    world.sim.world.setNick(quay, ada, 'Harbour master')
    await untilAllTrue()
    expect(second.status()).toMatchObject({ isLeader: true, gateway: { state: 'connected', shards: 2 } })
    expect(world.sim.gateway.sessionStartsLeft()).toBe(begun)
  })

  test('shows to every instance what all of them do', async () => {
    for (let n = 0; n < 3; n++) start(2)
    await untilAllLive()
    await until('two lead', () => mirrors.filter((one) => one.status().isLeader).length === 2, patienceMs)
    await until(
      'each says the same of all shards',
      () => mirrors.every((one) => one.status().gateway.shards === 2 && isConnected(one)),
      patienceMs,
    )
  })
  const isConnected = (mirror: LiveMirror) => mirror.status().gateway.state === 'connected'

  test('keeps each server in its group when the platform asks for other shards', async () => {
    const first = start(2)
    start(2)
    await untilEachLeads()
    world.sim.gateway.recommendShards(3)
    // One group connects with the new number, while the other goes on with the old one.
    await stop(first)
    world.sim.gateway.forgetSessions()
    start(2)
    await untilAllLive()
    await untilEachLeads()
    world.sim.gateway.dropAll()
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    world.sim.world.setNick(quay, ada, 'Quartermaster')
    await untilAllLive()
    await untilAllTrue()
  })

  test.each([
    [1, 2],
    [2, 1],
  ])(
    'in %i is not led in %i at the same time: nothing is taken before the old ones stop',
    async (now, then) => {
      const old = start(now)
      await untilAllLive()
      const next = start(then)
      const told = `GATEWAY_GROUPS is ${then} here and ${now} on instances that lead: give all the same.`
      await until('it says so', () => next.status().gateway.problem === told, patienceMs)
      expect(next.status().isLeader).toBe(false)
      await stop(old)
      await until('it leads', () => next.status().isLeader, patienceMs)
      await untilAllLive()
      world.sim.world.setRoles(club, ada, [demo.roles.captain])
      await untilAllTrue()
      expect(next.status().gateway.problem).toBeNull()
    },
  )

  test('keeps its number of groups while those who have it restart or are killed, whoever else is there', async () => {
    const { db } = world.service.deps
    const holder = '00000000-0000-4000-8000-000000000001'
    const take = (count: number) =>
      db.transaction((tx) => takeGroup(tx, { holder, group: { index: 0, count }, isAlone: false }))
    const age = (by: string) =>
      db.execute(sql`update live_mirror set beat_at = beat_at - ${by}::interval, backend_pid = null`)
    const first = await take(2)
    if (!first) throw new Error('It was vacant.')
    // Killed: long enough for a successor, not for another number.
    await age('5 seconds')
    expect(await take(3)).toBeUndefined()
    const second = await take(2)
    if (!second) throw new Error('It was vacant.')
    // Stopped, as for a restart.
    await giveUpLead(db, second)
    expect(await take(3)).toBeUndefined()
    expect(await take(2)).toBeDefined()
    // None of them has come back.
    await age('11 seconds')
    expect(await take(3)).toBeDefined()
    expect(await take(2)).toBeUndefined()
  })

  test('begins one session at a time in each lane, and no more than are left, whoever asks', async () => {
    const { db } = world.service.deps
    const epochs = await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        const candidate = { group: { index, count: 4 }, isAlone: false }
        const holder = `00000000-0000-4000-8000-00000000000${index}`
        return (await db.transaction((tx) => takeGroup(tx, { ...candidate, holder })))?.epoch ?? 0
      }),
    )
    expect(new Set(epochs).size).toBe(4)
    const known = { lanes: [], shards: [], left: null }
    const hourMs = 3_600_000
    const ask = (laneOf: (n: number) => number, remaining: number) =>
      Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const turn = { lane: laneOf(n), everyMs: hourMs, told: { remaining, resetInMs: hourMs } }
          return takeTurn(db, epochs[n % 4] ?? 0, known, turn)
        }),
      )
    const count = (answers: Awaited<ReturnType<typeof ask>>, reason?: 'lane' | 'day') =>
      answers.filter((answer) => answer?.reason === reason).length

    const inOneLane = await ask(() => 0, 100)
    expect([count(inOneLane), count(inOneLane, 'lane')]).toEqual([1, 11])
    for (const delay of inOneLane) if (delay) expect(delay.waitMs).toBeGreaterThan(3_000_000)
    // The platform may say the same anew before it has seen what was begun since.
    const ofTheDay = await ask((n) => 1 + n, 5)
    expect([count(ofTheDay), count(ofTheDay, 'day')]).toEqual([5, 7])
    // In the other lanes none is left either.
    expect(count(await ask((n) => 100 + n, 5), 'day')).toBe(12)
  })
})
