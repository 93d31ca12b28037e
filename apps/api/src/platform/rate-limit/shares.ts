import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache, Counted } from '#platform/cache/cache'
import type { Verdict } from './verdict.ts'

/** One caller in one window, as this instance knows it. */
export interface Tally {
  readonly key: string
  readonly endsAt: number
  /** The shared counter, as last heard of. */
  total: number
  /** Counted for this instance, and not taken yet: its share. */
  held: number
  /** A share is taken ahead once so few are held. */
  refillAt: number
  /** The connection that the share was counted on. */
  generation: number
  /** Takes that wait for an answer of the cache. */
  waiting: ((verdict: Verdict) => void)[]
  isAsking: boolean
  taken: number
  takenAtSweep: number
  /** Takes between the last two sweeps. */
  recent: number
  /** How often others were asked for their shares. */
  recalls: number
  /** Somebody found the counter full: this instance keeps no share any more. */
  isRecalled: boolean
  /** Until then it is refused without asking, by the monotonic clock. */
  fullUntil: number
}

interface ShareDeps {
  readonly cache: Cache
  readonly limit: number
  /** How long a counter is kept. */
  readonly counterMs: number
  /** Where instances ask each other for their shares. */
  readonly channel: string
  /** The verdict on a take that was just counted, or refused; undefined: nobody could be asked. */
  readonly verdict: (tally: Tally, isAllowed: boolean | undefined) => Verdict
}

export interface Shares {
  take(tally: Tally): Verdict | Promise<Verdict>
  /** Takes of what is held; false when that is nothing. */
  takeHeld(tally: Tally): boolean
  /** Gives back everything that is held. */
  close(): Promise<void>
}

/** A share is at most this part of what is left: one that is lost with its instance costs no more. */
const partOfLeft = 1 / 8
/** Smaller shares would not save a question each. */
const minShare = 8
/** A share is at most what was taken in about this time, and is given back when none of it was taken for so long. */
const sweepMs = 200
/** After asking others for their shares: how long to wait before looking into the counter, once and once more. */
const recallWaitsMs = [10, 40]
/** A counter that is full may have room again when an instance is idle: it is asked again so often. */
const fullMs = 250

/** What nobody has taken of: the state of a caller's window at its start. `recent` is known from the window before. */
export const newTally = (key: string, endsAt: number, recent: number): Tally => ({
  key,
  endsAt,
  total: 0,
  held: 0,
  refillAt: -1,
  generation: 0,
  waiting: [],
  isAsking: false,
  taken: 0,
  takenAtSweep: 0,
  recent,
  recalls: 0,
  isRecalled: false,
  fullUntil: 0,
})

/** The takes that a share is sized by. */
export const recentTakes = ({ recent, taken, takenAtSweep }: Tally) => Math.max(recent, taken - takenAtSweep)

/**
 * Takes from a counter that instances share, without asking for each.
 *
 * The counter is never added to beyond the limit, and whatever is let through was added before: that is why no more
 * than the limit pass, whatever instances do, how many there are and when they die. What was added and is not taken
 * yet is a share. It is taken ahead, before the last one has run out, so that takes are answered without a promise.
 *
 * A share grows with what is taken (twice as much with each question, up to what a fifth of a second needs), is at most
 * an eighth of what is left, and goes back when it lies idle. Where that leaves less than 8, none are taken ahead: the
 * cache is asked for each turn's takes together, which is exact. Whoever finds the counter full asks the others
 * for their shares before anyone is refused; from then on no instance takes ahead for this caller until the window ends.
 */
export function createShares({ cache, limit, counterMs, channel, verdict }: ShareDeps): Shares {
  const isShared = limit * partOfLeft >= minShare
  /** By key, those that were taken of lately. */
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
    if (tally.generation !== cache.generation()) forget(tally)
    if (tally.held === 0) return false
    tally.taken += 1
    tally.held -= 1
    if (tally.held <= tally.refillAt && !tally.isAsking) void ask(tally)
    return true
  }

  /** All takes of one turn of the event loop go with one question, and more gather while it is under way. */
  function gather(tally: Tally, resolve: (verdict: Verdict) => void): void {
    tally.waiting.push(resolve)
    if (tally.isAsking) return

    tally.isAsking = true
    if (due.length === 0) setImmediate(askDue)
    due.push(tally)
  }

  function askDue(): void {
    const asking = due
    due = []
    for (const tally of asking) void ask(tally)
  }

  /** Asks for those who wait, and a share: one question at a time. Never rejects. */
  async function ask(tally: Tally): Promise<void> {
    tally.isAsking = true
    keepActive(tally)
    do {
      const wanted = tally.waiting.length + spareOf(tally)
      tally.refillAt = -1
      if (wanted === 0) break
      const answer = await count(tally, wanted)
      if (!answer) settle(tally, undefined)
      else if (answer.counted < wanted && tally.waiting.length > 0) await whenFull(tally)
    } while (tally.waiting.length > 0)
    tally.isAsking = false
  }

  async function count(tally: Tally, wanted: number): Promise<Counted | undefined> {
    const generation = cache.generation()
    if (tally.generation !== generation) forget(tally)
    // A cache that lost its counter goes on from what was heard of it, so that its return is no second limit.
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
    if (generation !== cache.generation()) forget(tally)
    if (tally.isRecalled) void giveBack(tally, tally.held)
    return answer
  }

  /** What to ask for beyond those who wait. Before anything was heard of the counter that is nothing. */
  function spareOf(tally: Tally): number {
    if (!isShared || tally.isRecalled || tally.total === 0) return 0
    const share = Math.min(recentTakes(tally), Math.floor((limit - tally.total) * partOfLeft))
    return share < minShare ? 0 : Math.max(0, share - tally.held)
  }

  /** Nobody is refused while others may hold what they do not need: they are asked for it first, once in a window. */
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
    if (tally.generation !== cache.generation()) forget(tally)
    if (units === 0 || tally.held < units) return
    tally.held -= units
    tally.total -= units
    tally.refillAt = Math.min(tally.refillAt, Math.floor(tally.held / 2))
    await cache.giveBack(tally.key, units)
  }

  /** The cache may have lost what it counted: a share of that, given out beside a new counter, would be too much. */
  function forget(tally: Tally): void {
    tally.total -= tally.held
    tally.held = 0
    tally.refillAt = -1
    tally.generation = cache.generation()
  }

  function keepActive(tally: Tally): void {
    if (!isShared) return
    const other = active.get(tally.key)
    // Only a clock that was set back makes a second one.
    if (other && other !== tally) void giveBack(other, other.held)
    active.set(tally.key, tally)
    sweeping ??= setTimeout(sweep, sweepMs).unref()
  }

  /** Learns the rates, and gives back what they do not need. */
  function sweep(): void {
    sweeping = undefined
    for (const [key, tally] of active) {
      tally.recent = tally.taken - tally.takenAtSweep
      tally.takenAtSweep = tally.taken
      if (tally.recent > 0 || tally.isAsking) {
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
