import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { databaseForTests } from '../../../test/database-for-tests.ts'
import { engines } from '../../../test/databases.ts'
import { selectNotLiveServers } from './not-live-store.ts'
import {
  acquireLease,
  findLeaderState,
  LeadershipLost,
  recordBeginnings,
  releaseLease,
  renewLease,
  runAsLeader,
} from './store.ts'

const gateway = { state: 'connected', problem: null, shards: 1, latencyMs: 12, sessionsLeft: 990 }
const nothing = { lagMs: 0, handover: undefined, eventAt: null }
const club = demo.mainGuildId
const [receivedAt, proven] = [new Date('2026-11-21T08:15:00.250Z'), new Date('2026-11-21T08:15:00.125Z')]

describe.each(engines)('leadership on %s', (engine) => {
  const db = databaseForTests(engine)
  beforeEach(() =>
    db.script(`
      delete from gateway_servers; delete from servers; insert into servers (id, name) values ('${club}', 'Club');
      delete from live_mirror; insert into live_mirror (epoch) values (0)`),
  )

  const take = async (isSingleInstance = false) =>
    (await db.transaction((tx) => acquireLease(tx, isSingleInstance)))?.epoch
  const lead = async () => (await take()) as number
  const fallSilent = () =>
    db.execute(sql`update live_mirror set beat_at = clock_now() - interval '5 seconds'`)
  const vouch = (epoch: number) =>
    renewLease(db, { ...nothing, epoch, gateway, liveAsOf: new Map([[club, proven]]) })
  const liveAsOf = async () =>
    (
      await db.maybeOne<{ at: Date | null }>(
        sql`select live_as_of as at from servers where live_until > clock_now()`,
      )
    )?.at

  test('belongs to one at a time, until it falls silent or gives up', async () => {
    const first = await lead()
    expect(await take()).toBeUndefined()
    await fallSilent()
    const second = await lead()
    expect(second).toBeGreaterThan(first)
    expect(await take()).toBeUndefined()
    await releaseLease(db, second)
    expect(await lead()).toBeGreaterThan(second)
  })

  test('hands the state of new sessions to the next leader, and only the leader records it', async () => {
    const old = await lead()
    const known = {
      lanes: [{ lane: 0, freeInMs: 5_500 }],
      shards: [],
      left: { remaining: 7, resetInMs: 60_000 },
    }
    await recordBeginnings(db, old, known)
    await releaseLease(db, old)
    const taken = await db.transaction((tx) => acquireLease(tx, false))
    expect(taken?.beginnings).toEqual(known)
    expect(taken?.ageMs).toBeGreaterThanOrEqual(0)
    await expect(recordBeginnings(db, old, known)).rejects.toBeInstanceOf(LeadershipLost)
  })

  test('leaves the servers without a vouching leader, and since when', async () => {
    const epoch = await lead()
    const [server, ...others] = await selectNotLiveServers(db)
    expect(others).toEqual([])
    expect(server).toMatchObject({ serverId: club, serverName: 'Club', reason: 'reading' })
    await vouch(epoch)
    expect(await selectNotLiveServers(db)).toEqual([])
  })

  test('of several that ask at once goes to one', async () => {
    const taken = await Promise.all(Array.from({ length: 5 }, () => take()))
    expect(taken.filter((epoch) => epoch !== undefined)).toHaveLength(1)
  })

  test('is had at once by a process that is alone with its database', async () => {
    await lead()
    expect(await take(true)).toBeDefined()
  })

  test('vouches for servers for a few seconds, as of when it was proven, and no longer than it says so', async () => {
    const epoch = await lead()
    expect(await vouch(epoch)).toEqual({ registered: [club], lastEventAt: null })
    expect(await liveAsOf()).toEqual(proven)
    await renewLease(db, { ...nothing, epoch, gateway, liveAsOf: new Map() })
    expect(await liveAsOf()).toBeUndefined()
  })

  test('is shown to all, with what keeps it from its work', async () => {
    const epoch = await lead()
    const refused = { state: 'refused', problem: 'Mend it.', shards: 2, latencyMs: null, sessionsLeft: 7 }
    const answer = await renewLease(db, {
      ...nothing,
      epoch,
      gateway: refused,
      eventAt: receivedAt,
      lagMs: 40,
      liveAsOf: new Map(),
    })
    expect(answer?.lastEventAt).toEqual(receivedAt)
    // No newer event: the time of the last one stays.
    await renewLease(db, { ...nothing, epoch, gateway: refused, lagMs: 40, liveAsOf: new Map() })
    const told = { hasLeader: true, isVacant: false, lagMs: 40, lastEventAt: receivedAt, ...refused }
    expect(await findLeaderState(db)).toMatchObject(told)
    await fallSilent()
    expect((await findLeaderState(db))?.hasLeader).toBe(false)
  })

  test('once lost, writes and vouches for nothing, and its promises are withdrawn', async () => {
    const old = await lead()
    await vouch(old)
    await fallSilent()
    await lead()
    expect(await liveAsOf()).toBeUndefined()
    expect(await vouch(old)).toBeUndefined()
    expect(await liveAsOf()).toBeUndefined()
    const write = runAsLeader(db, old, (tx) => tx.execute(sql`update servers set name = 'old'`))
    await expect(write).rejects.toBeInstanceOf(LeadershipLost)
    expect(await releaseLease(db, old)).toBe(0)
    expect((await findLeaderState(db))?.hasLeader).toBe(true)
    expect(await db.query(sql`select name from servers`)).toEqual([{ name: 'Club' }])
  })

  if (engine === 'postgres') {
    test('passes on only when a batch that is under way is written, or cut off', async () => {
      const old = await lead()
      await fallSilent()
      const written = runAsLeader(db, old, async (tx) => {
        await tx.execute(sql`update servers set name = 'written'`)
        await sleep(300)
      })
      await sleep(50)
      const next = lead()
      expect(await Promise.race([next, sleep(150, 'waits')])).toBe('waits')
      await written
      const epoch = await next

      await fallSilent()
      let wake = () => {}
      const hung = runAsLeader(db, epoch, async (tx) => {
        await tx.execute(sql`update servers set name = 'hung'`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        await tx.execute(sql`update servers set name = 'woken'`)
      })
      await sleep(50)
      const startedAt = performance.now()
      let taken: number | undefined
      while (taken === undefined) taken = await take().catch(() => undefined)
      expect(performance.now() - startedAt).toBeLessThan(4_000)
      wake()
      // Tried again as a whole, it finds that another leads.
      await expect(hung).rejects.toBeInstanceOf(LeadershipLost)
      expect(await db.query(sql`select name from servers`)).toEqual([{ name: 'written' }])
    })
  }
})
