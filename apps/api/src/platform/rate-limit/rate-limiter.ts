import { hash } from 'node:crypto'
import type { Cache } from '#platform/cache/cache'
import { RecentMap } from '#platform/cache/recent-map'

export interface Verdict {
  allowed: boolean
  /** Nothing was counted, because the cache is unreachable. */
  paused?: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetSec: number
}

export interface RateLimiter {
  /**
   * Counts one request of the caller. Never rejects. With the memory cache it answers without a promise, and
   * so do refusals that are already known and pauses.
   */
  take(caller: string): Verdict | Promise<Verdict>

  /** The response fields that tell the caller; none while the limit is off or paused. */
  headers(verdict: Verdict): Record<string, string>
}

export interface Options {
  cache: Cache
  /** Requests per caller and window; 0 turns the limit off. */
  limit: number
  ttlMs: number
  /** Keeps limiters on one cache apart, and names the policy to callers: letters, digits and hyphens. */
  name?: string
  /** The wall clock. */
  now?: () => number
}

/** One caller in one window. */
interface Tally {
  key: string
  endsAt: number
  /** The total last heard of; it only grows, so once it reaches the limit the answer is final. */
  total: number
  /** Takes that no count has been sent for. */
  waiting: ((verdict: Verdict) => void)[]
  isCounting: boolean
}

/** Beyond these the least recent are forgotten, which only costs them a question to the cache. */
const maxCallers = 100_000

/**
 * Lets `limit` requests per caller through in each fixed window of `ttlMs`, summed over all instances.
 *
 * The window's number is the wall clock divided by `ttlMs`, so instances agree on it as far as their clocks
 * agree: while one runs ahead by d, up to `limit` further requests may pass in the d around a window's end.
 * Counters outlive their window by another one, so that a clock behind never finds one gone that it still needs.
 *
 * A shared cache is asked once per caller and turn of the event loop, for all takes of that turn together, and
 * never twice at a time: what comes meanwhile goes with the next question. The total that comes back is cut
 * into ordinals, one per waiting take, and no two takes of any instance get the same one. That is why exactly
 * `limit` pass, however many race.
 */
export function createRateLimiter({
  cache,
  limit,
  ttlMs,
  name = 'default',
  now = Date.now,
}: Options): RateLimiter {
  const counterMs = ttlMs * 2
  const windowSec = Math.max(1, Math.ceil(ttlMs / 1000))
  const answersAtOnce = cache.kind === 'memory'
  const off: Verdict = Object.freeze({ allowed: true, limit: 0, remaining: 0, resetSec: 1 })
  const paused: Verdict = Object.freeze({
    allowed: true,
    paused: true,
    limit,
    remaining: limit,
    resetSec: windowSec,
  })

  let window = Number.NaN
  let tallies = new RecentMap<Tally>(maxCallers)
  let due: Tally[] = []

  function take(caller: string): Verdict | Promise<Verdict> {
    if (limit === 0) return off
    if (!cache.isUp()) return paused

    const time = now()
    const tally = tallyOf(caller, Math.floor(time / ttlMs))
    if (tally.total >= limit) return verdict(tally, limit + 1, time)
    if (!answersAtOnce) return new Promise((resolve) => gather(tally, resolve))

    const total = cache.count(tally.key, 1, counterMs)
    if (typeof total !== 'number') return paused
    tally.total = total
    return verdict(tally, total, time)
  }

  function tallyOf(caller: string, current: number): Tally {
    if (current !== window) {
      window = current
      tallies = new RecentMap(maxCallers)
    }
    const known = tallies.get(caller)
    if (known) return known

    // Hashed, because a caller is often named by its credential, and to keep strangers' text out of keys.
    const key = `limit:${name}:${hash('sha256', caller, 'base64url')}:${current}`
    const tally: Tally = { key, endsAt: (current + 1) * ttlMs, total: 0, waiting: [], isCounting: false }
    tallies.set(caller, tally)
    return tally
  }

  function gather(tally: Tally, resolve: (verdict: Verdict) => void): void {
    tally.waiting.push(resolve)
    if (tally.isCounting) return

    tally.isCounting = true
    if (due.length === 0) setImmediate(countDue)
    due.push(tally)
  }

  function countDue(): void {
    const tallied = due
    due = []
    for (const tally of tallied) countWaiting(tally)
  }

  async function countWaiting(tally: Tally): Promise<void> {
    while (tally.waiting.length > 0) {
      const takes = tally.waiting
      tally.waiting = []
      const before = await totalBefore(tally, takes.length)
      const time = now()
      takes.forEach((resolve, index) => {
        resolve(before === undefined ? paused : verdict(tally, before + index + 1, time))
      })
    }
    tally.isCounting = false
  }

  /** What stood in the counter before these takes were added, or would have: a full one is not asked again. */
  async function totalBefore(tally: Tally, takes: number): Promise<number | undefined> {
    if (tally.total >= limit) return tally.total
    const total = await cache.count(tally.key, takes, counterMs)
    if (total === undefined) return undefined
    tally.total = total
    return total - takes
  }

  function verdict(tally: Tally, ordinal: number, time: number): Verdict {
    return {
      allowed: ordinal <= limit,
      limit,
      remaining: Math.max(0, limit - ordinal),
      resetSec: Math.max(1, Math.ceil((tally.endsAt - time) / 1000)),
    }
  }

  return { take, headers: limitHeaders({ limit, ttlMs, name }) }
}

/** draft-ietf-httpapi-ratelimit-headers-10: both are structured lists with one item, the policy's name. */
export function limitHeaders({ limit, ttlMs, name }: { limit: number; ttlMs: number; name: string }) {
  const policy = `"${name}";q=${limit};w=${Math.max(1, Math.ceil(ttlMs / 1000))}`
  return ({ allowed, paused, remaining, resetSec }: Verdict): Record<string, string> => {
    if (limit === 0 || paused) return {}
    const fields = { RateLimit: `"${name}";r=${remaining};t=${resetSec}`, 'RateLimit-Policy': policy }
    return allowed ? fields : { ...fields, 'Retry-After': String(resetSec) }
  }
}
