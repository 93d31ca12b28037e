import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache, Counted } from '#platform/cache/cache'
import type { Verdict } from './verdict.ts'

/**
 * The state of one caller in one window, as this instance knows it. A "take" is one request that the limiter counts.
 */
export interface Tally {
  readonly key: string
  /** The end of the window. */
  readonly endsAt: number
  /** The value of the shared counter when it was last read. */
  total: number
  /** The share of this instance: takes that it has added to the counter in advance, and not used yet. */
  held: number
  /** The value of `held` at which the next share is requested. With -1, none is requested in advance. */
  refillAt: number
  /**
   * The generation of the cache connection that the share was counted on. After a reconnect, the cache may have lost
   * the counter.
   */
  generation: number
  /** The takes that wait for a response of the cache. */
  waiting: ((verdict: Verdict) => void)[]
  /** True while a request for this tally is due or in progress. */
  isRequesting: boolean
  /** The number of takes in this window, and its value at the last sweep. */
  taken: number
  takenAtSweep: number
  /** The number of takes between the last two sweeps. */
  recent: number
  /** The number of times that this instance has recalled the shares of others. */
  recalls: number
  /**
   * True after any instance has found the counter full. This instance then holds no share for the rest of the window.
   */
  isRecalled: boolean
  /** Until this time of the monotonic clock, takes are refused without querying the cache. */
  fullUntil: number
}

interface ShareDeps {
  readonly cache: Cache
  readonly limit: number
  /** The lifetime of a counter in milliseconds. */
  readonly counterMs: number
  /** The cache channel on which instances recall each other's shares. */
  readonly channel: string
  /** Creates the verdict for a take. `isAllowed` is undefined if the cache could not be reached. */
  readonly verdict: (tally: Tally, isAllowed: boolean | undefined) => Verdict
}

/** Takes requests from counters in a shared cache. */
export interface Shares {
  take(tally: Tally): Verdict | Promise<Verdict>
  /** Takes from the share that this instance holds. Returns false if it is used up. */
  takeHeld(tally: Tally): boolean
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
 * The interval of the sweeps. A share covers at most the takes of about one interval. After an interval without takes,
 * it is returned.
 */
const sweepMs = 200
/**
 * The waits for returned shares before the counter is read again: after the first full reading, and after the second.
 */
const recallWaitsMs = [10, 40]
/** The interval at which a full counter is read again, because an idle instance may have returned its share. */
const fullMs = 250

/** Creates the state of a caller at the start of a window. `recent` comes from the previous window. */
export const newTally = (key: string, endsAt: number, recent: number): Tally => ({
  key,
  endsAt,
  total: 0,
  held: 0,
  refillAt: -1,
  generation: 0,
  waiting: [],
  isRequesting: false,
  taken: 0,
  takenAtSweep: 0,
  recent,
  recalls: 0,
  isRecalled: false,
  fullUntil: 0,
})

/** Returns the recent number of takes, which determines the size of a share. */
export const recentTakes = ({ recent, taken, takenAtSweep }: Tally) => Math.max(recent, taken - takenAtSweep)

/**
 * Takes from counters that all instances share, without a request to the cache for each take. A take is allowed only
 * after it was added to the counter, and the counter never exceeds the limit. So at most `limit` requests pass, with
 * any number of instances and after any crash.
 *
 * A share is a number of takes that an instance adds to the counter in advance. Before it is used up, the instance
 * requests the next one, so that takes need no promise. The size of a share follows the number of recent takes: it is
 * at most what the caller uses in a fifth of a second, and at most an eighth of the remaining requests. A share that is
 * not used is returned. If a share would be smaller than 8, none is requested. Then one query of the cache serves all
 * takes of one turn of the event loop, which is exact. An instance that finds the counter full recalls the shares of
 * the others before it refuses a caller. From then on, no instance requests a share for this caller until the window
 * ends.
 */
export function createShares({ cache, limit, counterMs, channel, verdict }: ShareDeps): Shares {
  const isShared = limit * maxPartOfRemaining >= minShare
  /** The tallies that were used recently, by key. */
  const active = new Map<string, Tally>()
  let due: Tally[] = []
  let sweeping: NodeJS.Timeout | undefined
  const endRecalls = isShared ? cache.subscribe(channel, recalled) : () => {}

  function take(tally: Tally): Verdict | Promise<Verdict> {
    if (takeHeld(tally)) return verdict(tally, true)
    tally.taken += 1
    if (tally.fullUntil > 0 && tally.fullUntil > performance.now()) return verdict(tally, false)
    return new Promise((resolve) => gather(tally, resolve))
  }

  function takeHeld(tally: Tally): boolean {
    if (tally.generation !== cache.generation()) dropShare(tally)
    if (tally.held === 0) return false
    tally.taken += 1
    tally.held -= 1
    if (tally.held <= tally.refillAt && !tally.isRequesting) void ask(tally)
    return true
  }

  /**
   * Collects takes that need the cache. All takes in one turn of the event loop use one request. Takes that arrive
   * during a request use the next one.
   */
  function gather(tally: Tally, resolve: (verdict: Verdict) => void): void {
    tally.waiting.push(resolve)
    if (tally.isRequesting) return

    tally.isRequesting = true
    if (due.length === 0) setImmediate(askDue)
    due.push(tally)
  }

  function askDue(): void {
    const asking = due
    due = []
    for (const tally of asking) void ask(tally)
  }

  /** Requests the waiting takes and a share, one request at a time. Never rejects. */
  async function ask(tally: Tally): Promise<void> {
    tally.isRequesting = true
    keepActive(tally)
    do {
      const wanted = tally.waiting.length + spareOf(tally)
      tally.refillAt = -1
      if (wanted === 0) break
      const answer = await count(tally, wanted)
      if (!answer) settle(tally, undefined)
      else if (answer.counted < wanted && tally.waiting.length > 0) await whenFull(tally)
    } while (tally.waiting.length > 0)
    tally.isRequesting = false
  }

  async function count(tally: Tally, wanted: number): Promise<Counted | undefined> {
    const generation = cache.generation()
    if (tally.generation !== generation) dropShare(tally)
    // If the cache has lost the counter, it restarts from the last known value. Otherwise, callers would get the full
    // limit again.
    const from = tally.total - tally.held
    const answer = await cache.countUpTo(tally.key, wanted, { limit, from, windowMs: counterMs })
    if (!answer) return undefined
    tally.total = answer.total
    tally.held += answer.counted
    for (const resolve of tally.waiting.splice(0, tally.held)) {
      tally.held -= 1
      resolve(verdict(tally, true))
    }
    if (tally.held >= minShare) tally.refillAt = Math.floor(tally.held / 2)
    if (generation !== cache.generation()) dropShare(tally)
    if (tally.isRecalled) void giveBack(tally, tally.held)
    return answer
  }

  /** Returns how many takes to request for the share. It is 0 until the counter has been read once. */
  function spareOf(tally: Tally): number {
    if (!isShared || tally.isRecalled || tally.total === 0) return 0
    const share = Math.min(recentTakes(tally), Math.floor((limit - tally.total) * maxPartOfRemaining))
    return share < minShare ? 0 : Math.max(0, share - tally.held)
  }

  /** Recalls the shares of other instances before it refuses a caller, once per window. */
  async function whenFull(tally: Tally): Promise<void> {
    const waitMs = isShared ? recallWaitsMs[tally.recalls] : undefined
    if (waitMs === undefined) {
      tally.fullUntil = isShared ? performance.now() + fullMs : Number.POSITIVE_INFINITY
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

  function recalled(key: string): void {
    const tally = active.get(key)
    if (!tally) return
    tally.isRecalled = true
    void giveBack(tally, tally.held)
  }

  async function giveBack(tally: Tally, units: number): Promise<void> {
    if (tally.generation !== cache.generation()) dropShare(tally)
    if (units === 0 || tally.held < units) return
    tally.held -= units
    tally.total -= units
    tally.refillAt = Math.min(tally.refillAt, Math.floor(tally.held / 2))
    await cache.giveBack(tally.key, units)
  }

  /**
   * Drops the share, because the cache may have lost its counter. The old share and a new counter together would exceed
   * the limit.
   */
  function dropShare(tally: Tally): void {
    tally.total -= tally.held
    tally.held = 0
    tally.refillAt = -1
    tally.generation = cache.generation()
  }

  function keepActive(tally: Tally): void {
    if (!isShared) return
    const other = active.get(tally.key)
    // There is a second tally for the same key only after the clock was set back.
    if (other && other !== tally) void giveBack(other, other.held)
    active.set(tally.key, tally)
    sweeping ??= setTimeout(sweep, sweepMs).unref()
  }

  /** Measures how fast callers send requests, and returns the shares that are not needed. */
  function sweep(): void {
    sweeping = undefined
    for (const [key, tally] of active) {
      tally.recent = tally.taken - tally.takenAtSweep
      tally.takenAtSweep = tally.taken
      if (tally.recent > 0 || tally.isRequesting) {
        const surplus = tally.held - Math.max(tally.recent, minShare)
        if (surplus > tally.recent) void giveBack(tally, surplus)
      } else {
        active.delete(key)
        void giveBack(tally, tally.held)
      }
    }
    if (active.size > 0) sweeping = setTimeout(sweep, sweepMs).unref()
  }

  return {
    take,
    takeHeld,
    async close() {
      endRecalls()
      clearTimeout(sweeping)
      const tallies = [...active.values()]
      active.clear()
      for (const tally of tallies) tally.isRecalled = true
      await Promise.all(tallies.map((tally) => giveBack(tally, tally.held)))
    },
  }
}
