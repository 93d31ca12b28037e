import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache, Counted } from '#platform/cache/cache'
import type { Verdict } from './verdict.ts'

/** A caller in one window, as this instance knows it. */
export interface Tally {
  readonly key: string
  readonly endsAt: number
  /** The shared counter at its last reading. */
  total: number
  /** The share of this instance: requests that were added to the counter and not taken yet. */
  held: number
  /** The number of held takes at which the next share is requested. */
  refillAt: number
  /** The connection generation of the share's count. */
  generation: number
  /** The takes that wait for a response of the cache. */
  waiting: ((verdict: Verdict) => void)[]
  isRequesting: boolean
  taken: number
  takenAtSweep: number
  /** The number of takes between the last two sweeps. */
  recent: number
  /** The number of times that this instance has recalled the shares of others. */
  recalls: number
  /** True once an instance found the counter full: this instance holds no share from then on. */
  isRecalled: boolean
  /** The time until which takes are refused without a request, by the monotonic clock. */
  fullUntil: number
}

interface ShareDeps {
  readonly cache: Cache
  readonly limit: number
  /** The lifetime of a counter. */
  readonly counterMs: number
  /** The channel on which instances recall each other's shares. */
  readonly channel: string
  /** Creates the verdict on a take that was just counted, or refused; undefined if the cache could not be reached. */
  readonly verdict: (tally: Tally, isAllowed: boolean | undefined) => Verdict
}

export interface Shares {
  take(tally: Tally): Verdict | Promise<Verdict>
  /** Takes from the held share; false if it is empty. */
  takeHeld(tally: Tally): boolean
  /** Returns all held shares. */
  close(): Promise<void>
}

/** The largest part of the remaining requests in one share, which is lost if its instance crashes. */
const maxPartOfRemaining = 1 / 8
/** The smallest share. Less would not save a request to the cache. */
const minShare = 8
/**
 * The interval that limits a share. A share holds at most the takes of about this time, and is returned after this time
 * without a take.
 */
const sweepMs = 200
/** The waits after a first and a second recall of shares, before the counter is read. */
const recallWaitsMs = [10, 40]
/** The interval at which a full counter is read again, because an idle instance may have returned its share. */
const fullMs = 250

/** Creates an untaken tally: the state of a caller's window at its start. `recent` is known from the window before. */
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

/** Returns the number of takes that determines the size of a share. */
export const recentTakes = ({ recent, taken, takenAtSweep }: Tally) => Math.max(recent, taken - takenAtSweep)

/**
 * Takes from a counter that instances share, without a request for each. The counter never exceeds the limit, and each
 * admitted take was added before. So at most `limit` requests pass, with any number of instances and any crashes.
 *
 * A share is the part that was added and not taken yet. An instance requests it before the previous share is used up,
 * so that takes return without a promise. A share doubles with each request, up to the need of a fifth of a second. It
 * is at most an eighth of the remaining requests, and is returned when idle. If less than 8 would be left for a share,
 * none is requested: one query of the cache serves the takes of one turn of the event loop, which is exact. An instance
 * that finds the counter full recalls the shares of the others before it refuses a caller. From then on, no instance
 * requests a share for this caller until the window ends.
 */
export function createShares({ cache, limit, counterMs, channel, verdict }: ShareDeps): Shares {
  const isShared = limit * maxPartOfRemaining >= minShare
  /** The recently used tallies by key. */
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
   * Gathers takes. All takes of a turn of the event loop share a request, and those during a request share the next
   * one.
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

  /** Requests takes for the waiting callers, and a share, with one request at a time. Never rejects. */
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
    // If the cache lost its counter, counting continues from the last reading, so that callers do not get a second
    // limit.
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

  /** Returns the number to request beyond the waiting takes. Before the first reading of the counter it is 0. */
  function spareOf(tally: Tally): number {
    if (!isShared || tally.isRecalled || tally.total === 0) return 0
    const share = Math.min(recentTakes(tally), Math.floor((limit - tally.total) * maxPartOfRemaining))
    return share < minShare ? 0 : Math.max(0, share - tally.held)
  }

  /** Recalls the unneeded shares of other instances before any caller is refused, once in a window. */
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
   * Drops the share, because the cache may have lost its counter. An old share and a new counter together would exceed
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
    // Only a clock that was set back creates a second tally.
    if (other && other !== tally) void giveBack(other, other.held)
    active.set(tally.key, tally)
    sweeping ??= setTimeout(sweep, sweepMs).unref()
  }

  /** Measures the rates, and returns unneeded shares. */
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
