import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache, Counted } from '#platform/cache/cache'
import type { Verdict } from './verdict.ts'

/**
 * The state of one caller in one window, as this instance knows it. A unit is one request of the limit, and counting a
 * request consumes one. A share is a number of units that this instance reserves in advance.
 */
export interface Tally {
  readonly key: string
  /** The end of the window. */
  readonly endsAtMs: number
  /** The value of the shared counter when it was last read. */
  total: number
  /** The unused share: units that this instance has added to the shared counter in advance, and not consumed yet. */
  reserved: number
  /** The value of `reserved` at which the next share is reserved. With -1, none is reserved in advance. */
  refillAt: number
  /**
   * The generation of the cache connection that the share was counted on. After a reconnect, the cache may have lost
   * the counter.
   */
  generation: number
  /** Resolves the requests that wait for a response of the cache. */
  waiting: ((verdict: Verdict) => void)[]
  /** Resolves the requests that wait for the next share, and then try again to consume a unit of it. */
  waitingForShare: (() => void)[]
  /** True while a query of the cache for this tally is due or in progress. */
  isQuerying: boolean
  /** The number of requests in this window, including refused ones, and its value at the last sweep. */
  requested: number
  requestedAtSweep: number
  /** The number of requests between the last two sweeps. */
  recent: number
  /** The number of times that this instance has recalled the shares of others. */
  recalls: number
  /**
   * True after any instance has found the counter full. This instance then reserves no share for the rest of the
   * window.
   */
  isRecalled: boolean
  /** Until this time of the monotonic clock, requests are refused without querying the cache. */
  fullUntilMs: number
}

interface ShareDeps {
  readonly cache: Cache
  readonly limit: number
  /** The lifetime of a counter in milliseconds. */
  readonly counterMs: number
  /** The cache channel on which instances recall each other's shares. */
  readonly channel: string
  /** Creates the verdict for a request. `isAllowed` is undefined if the cache could not be reached. */
  readonly verdict: (tally: Tally, isAllowed: boolean | undefined) => Verdict
}

/** Counts requests in a shared cache. */
export interface Shares {
  consume(tally: Tally): Verdict | Promise<Verdict>
  /** Counts a request in the share of this instance. Returns false if the share is used up. */
  consumeReserved(tally: Tally): boolean
  /**
   * Tries to reserve a share that has a unit for the request, and resolves when the cache has responded. The request can
   * then call `consumeReserved` again. Returns undefined if there is nothing to reserve.
   */
  reserve(tally: Tally): Promise<void> | undefined
  /** Returns all shares to the shared counters. */
  close(): Promise<void>
}

/**
 * The largest part of the remaining requests that one share may have. If an instance crashes, its shares are lost until
 * the window ends.
 */
const maxPartOfRemaining = 1 / 8
/** The smallest share. A smaller one would save no request to the cache. */
const minShare = 8
/**
 * The interval of the sweeps. A share covers at most the requests of about one interval. After an interval without
 * requests, it is returned.
 */
const sweepMs = 200
/**
 * The waits for returned shares before the counter is read again: after the first full reading, and after the second.
 */
const recallWaitsMs = [10, 40]
/** The interval at which a full counter is read again, because an idle instance may have returned its share. */
const fullMs = 250

/** Creates the state of a caller at the start of a window. `recent` comes from the previous window. */
export const newTally = (key: string, endsAtMs: number, recent: number): Tally => ({
  key,
  endsAtMs,
  total: 0,
  reserved: 0,
  refillAt: -1,
  generation: 0,
  waiting: [],
  waitingForShare: [],
  isQuerying: false,
  requested: 0,
  requestedAtSweep: 0,
  recent,
  recalls: 0,
  isRecalled: false,
  fullUntilMs: 0,
})

/** Returns the recent number of requests, which determines the size of a share. */
export const recentCount = ({ recent, requested, requestedAtSweep }: Tally) =>
  Math.max(recent, requested - requestedAtSweep)

/**
 * Counts requests in counters that all instances share, without a query of the cache for each request. A request is
 * allowed only after it was added to the counter, and the counter never exceeds the limit. So at most `limit` requests
 * pass, with any number of instances and after any crash.
 *
 * A share is a number of units that an instance adds to the counter in advance. Before it is used up, the instance
 * reserves the next one, so that most requests need no promise. The size of a share follows the number of recent
 * requests: it is at most what the caller uses in a fifth of a second, and at most an eighth of the remaining requests.
 * A share that is not used is returned. If a share would be smaller than 8, none is reserved in advance. Then one query
 * of the cache counts all requests of one turn of the event loop, which is exact. An instance that finds the counter full
 * recalls the shares of the others before it refuses a caller. From then on, no instance reserves a share for this
 * caller until the window ends.
 */
export function createShares({ cache, limit, counterMs, channel, verdict }: ShareDeps): Shares {
  const isShared = limit * maxPartOfRemaining >= minShare
  /** The tallies that were used recently, by key. */
  const active = new Map<string, Tally>()
  let due: Tally[] = []
  let sweeping: NodeJS.Timeout | undefined
  const endRecalls = isShared ? cache.subscribe(channel, releaseRecalled) : () => {}

  function consume(tally: Tally): Verdict | Promise<Verdict> {
    if (consumeReserved(tally)) return verdict(tally, true)
    tally.requested += 1
    if (tally.fullUntilMs > 0 && tally.fullUntilMs > performance.now()) return verdict(tally, false)
    return new Promise((resolve) => gather(tally, resolve))
  }

  function consumeReserved(tally: Tally): boolean {
    if (tally.generation !== cache.generation()) discardShare(tally)
    if (tally.reserved === 0) return false
    tally.requested += 1
    tally.reserved -= 1
    if (tally.reserved <= tally.refillAt && !tally.isQuerying) void queryCache(tally)
    return true
  }

  function reserve(tally: Tally): Promise<void> | undefined {
    if (!isShared || tally.isRecalled || tally.total >= limit) return undefined
    return new Promise((resolve) => {
      tally.waitingForShare.push(resolve)
      planQuery(tally)
    })
  }

  function gather(tally: Tally, resolve: (verdict: Verdict) => void): void {
    tally.waiting.push(resolve)
    planQuery(tally)
  }

  /**
   * Queries the cache for the requests that wait. All of one turn of the event loop use one query. Requests that arrive
   * during a query use the next one.
   */
  function planQuery(tally: Tally): void {
    if (tally.isQuerying) return

    tally.isQuerying = true
    if (due.length === 0) setImmediate(queryDue)
    due.push(tally)
  }

  function queryDue(): void {
    const tallies = due
    due = []
    for (const tally of tallies) void queryCache(tally)
  }

  /** Queries the cache for the waiting requests and a share, one query at a time. Never rejects. */
  async function queryCache(tally: Tally): Promise<void> {
    tally.isQuerying = true
    keepActive(tally)
    do {
      const wanted = tally.waiting.length + tally.waitingForShare.length + unitsToReserve(tally)
      tally.refillAt = -1
      if (wanted === 0) break
      const response = await count(tally, wanted)
      if (!response) settle(tally, undefined)
      else if (response.counted < wanted && tally.waiting.length > 0) await whenFull(tally)
    } while (tally.waiting.length + tally.waitingForShare.length > 0)
    tally.isQuerying = false
  }

  async function count(tally: Tally, wanted: number): Promise<Counted | undefined> {
    const generation = cache.generation()
    if (tally.generation !== generation) discardShare(tally)
    // If the cache has lost the counter, it restarts from the last known value. Otherwise, callers would get the full
    // limit again.
    const from = tally.total - tally.reserved
    const waiters = tally.waitingForShare.length
    const response = await cache.countUpTo(tally.key, wanted, { limit, from, windowMs: counterMs })
    if (!response) {
      letTryAgain(tally, waiters)
      return undefined
    }
    tally.total = response.total
    tally.reserved += response.counted
    for (const resolve of tally.waiting.splice(0, tally.reserved)) {
      tally.reserved -= 1
      resolve(verdict(tally, true))
    }
    letTryAgain(tally, Math.max(waiters, tally.reserved))
    if (tally.reserved >= minShare) tally.refillAt = Math.floor(tally.reserved / 2)
    if (generation !== cache.generation()) discardShare(tally)
    if (tally.isRecalled) void returnReserved(tally, tally.reserved)
    return response
  }

  function letTryAgain(tally: Tally, requests: number): void {
    for (const resolve of tally.waitingForShare.splice(0, requests)) resolve()
  }

  /** Returns how many units to reserve for the share. It is 0 until the counter has been read once. */
  function unitsToReserve(tally: Tally): number {
    if (!isShared || tally.isRecalled || tally.total === 0) return 0
    const needed = Math.max(recentCount(tally), tally.waitingForShare.length)
    const share = Math.min(needed, Math.floor((limit - tally.total) * maxPartOfRemaining))
    return share < minShare ? 0 : Math.max(0, share - tally.reserved)
  }

  /** Recalls the shares of other instances before it refuses a caller, once per window. */
  async function whenFull(tally: Tally): Promise<void> {
    const waitMs = isShared ? recallWaitsMs[tally.recalls] : undefined
    if (waitMs === undefined) {
      tally.fullUntilMs = isShared ? performance.now() + fullMs : Number.POSITIVE_INFINITY
      settle(tally, false)
      return
    }
    tally.recalls += 1
    if (tally.recalls === 1) await cache.publish(channel, tally.key)
    await sleep(waitMs)
  }

  function settle(tally: Tally, isAllowed: boolean | undefined): void {
    for (const resolve of tally.waiting.splice(0)) resolve(verdict(tally, isAllowed))
  }

  function releaseRecalled(key: string): void {
    const tally = active.get(key)
    if (!tally) return
    tally.isRecalled = true
    void returnReserved(tally, tally.reserved)
  }

  async function returnReserved(tally: Tally, units: number): Promise<void> {
    if (tally.generation !== cache.generation()) discardShare(tally)
    if (units === 0 || tally.reserved < units) return
    tally.reserved -= units
    tally.total -= units
    tally.refillAt = Math.min(tally.refillAt, Math.floor(tally.reserved / 2))
    await cache.subtract(tally.key, units)
  }

  /**
   * Drops the share, because the cache may have lost its counter. The old share and a new counter together would exceed
   * the limit.
   */
  function discardShare(tally: Tally): void {
    tally.total -= tally.reserved
    tally.reserved = 0
    tally.refillAt = -1
    tally.generation = cache.generation()
  }

  function keepActive(tally: Tally): void {
    if (!isShared) return
    const other = active.get(tally.key)
    // There is a second tally for the same key only after the clock was set back.
    if (other && other !== tally) void returnReserved(other, other.reserved)
    active.set(tally.key, tally)
    sweeping ??= setTimeout(sweep, sweepMs).unref()
  }

  /** Measures how fast callers send requests, and returns the shares that are not needed. */
  function sweep(): void {
    sweeping = undefined
    for (const [key, tally] of active) {
      tally.recent = tally.requested - tally.requestedAtSweep
      tally.requestedAtSweep = tally.requested
      if (tally.recent > 0 || tally.isQuerying) {
        const surplus = tally.reserved - Math.max(tally.recent, minShare)
        if (surplus > tally.recent) void returnReserved(tally, surplus)
      } else {
        active.delete(key)
        void returnReserved(tally, tally.reserved)
      }
    }
    if (active.size > 0) sweeping = setTimeout(sweep, sweepMs).unref()
  }

  return {
    consume,
    consumeReserved,
    reserve,
    async close() {
      endRecalls()
      clearTimeout(sweeping)
      const tallies = [...active.values()]
      active.clear()
      for (const tally of tallies) tally.isRecalled = true
      await Promise.all(tallies.map((tally) => returnReserved(tally, tally.reserved)))
    },
  }
}
