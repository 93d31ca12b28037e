import { hash } from 'node:crypto'
import type { Cache } from '#platform/cache/cache'
import { RecentMap } from '#platform/cache/recent-map'
import { createShares, newTally, recentTakes, type Tally } from './shares.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

export interface RateLimiter {
  /**
   * Counts one request of the caller, and returns the verdict. A refusal is a verdict, too: the promise never rejects.
   * Returns the verdict without a promise if it needs no request to a shared cache: with the memory cache, while the limit
   * is off or paused, and while this instance holds a share or knows that the window is full.
   */
  take(caller: string): Verdict | Promise<Verdict>

  /** Returns the response headers for the caller. Returns no headers while the limit is off or paused. */
  headers(verdict: Verdict): Record<string, string>
}

export interface Options {
  cache: Cache
  /** The number of requests per caller and window; 0 turns the limit off. */
  limit: number
  ttlMs: number
  /** Separates limiters on one cache, and names the policy to callers: letters, digits, and hyphens. */
  name?: string
  /** The wall clock. */
  now?: () => number
}

/** A limiter that may hold a share of its callers' remaining requests. */
export interface SharingLimiter extends RateLimiter {
  /**
   * Counts one request of the caller, and returns true, if this instance can admit it without a request to a shared
   * cache. While the limit is off or paused, returns true without counting. After false, `take` returns the verdict.
   */
  tryTake(caller: string): boolean
  /** Gives back the unused shares of this instance, so that other instances can use them immediately. */
  close(): Promise<void>
}

/**
 * The maximum number of callers. The least recently used callers are evicted, and each then needs another request to
 * the cache.
 */
const maxCallers = 100_000

/**
 * Admits `limit` requests per caller in each fixed window of `ttlMs`, summed over all instances.
 *
 * The window's number is the wall clock divided by `ttlMs`, so instances agree on it as far as their clocks agree. If a
 * clock is ahead by d, up to `limit` extra requests can pass during d at the end of a window. Counters live
 * for a second window, so that an instance with a late clock still finds its counter.
 *
 * An instance does not query a shared cache for each request. It uses a share of the remaining requests, see
 * `createShares`.
 */
export function createRateLimiter({
  cache,
  limit,
  ttlMs,
  name = 'default',
  now = Date.now,
}: Options): SharingLimiter {
  const counterMs = ttlMs * 2
  const windowSec = Math.max(1, Math.ceil(ttlMs / 1000))
  const off: Verdict = Object.freeze({ allowed: true, limit: 0, remaining: 0, resetSec: 1 })
  const paused: Verdict = Object.freeze({
    allowed: true,
    paused: true,
    limit,
    remaining: limit,
    resetSec: windowSec,
  })
  const shares =
    cache.kind === 'memory'
      ? undefined
      : createShares({
          cache,
          limit,
          counterMs,
          channel: `limit-recall:${name}`,
          verdict: (tally, isAllowed) =>
            isAllowed === undefined ? paused : verdict(tally, isAllowed, now()),
        })

  let window = Number.NaN
  let tallies = new RecentMap<Tally>(maxCallers)
  /** The tallies of the previous window, which show a caller's rate. */
  let previousTallies = tallies

  function take(caller: string): Verdict | Promise<Verdict> {
    if (limit === 0) return off
    if (!cache.isUp()) return paused

    const time = now()
    const tally = tallyOf(caller, Math.floor(time / ttlMs))
    return shares ? shares.take(tally) : takeLocally(tally, time)
  }

  function tryTake(caller: string): boolean {
    if (limit === 0 || !cache.isUp()) return true

    const time = now()
    const tally = tallyOf(caller, Math.floor(time / ttlMs))
    if (shares) return shares.takeHeld(tally)
    return takeLocally(tally, time).allowed
  }

  /** Counts a request with the memory cache, which no other process shares. */
  function takeLocally(tally: Tally, time: number): Verdict {
    if (tally.total >= limit) return verdict(tally, false, time)
    const total = cache.count(tally.key, 1, counterMs)
    if (typeof total !== 'number') return paused
    tally.total = total
    return verdict(tally, total <= limit, time)
  }

  function tallyOf(caller: string, current: number): Tally {
    if (current !== window) {
      window = current
      previousTallies = tallies
      tallies = new RecentMap(maxCallers)
    }
    const existing = tallies.get(caller)
    if (existing) return existing

    // Hashes the caller, because its name is often a credential, and to keep untrusted text out of the cache's keys.
    const key = `limit:${name}:${hash('sha256', caller, 'base64url')}:${current}`
    const previous = previousTallies.get(caller)
    const tally = newTally(key, (current + 1) * ttlMs, previous ? recentTakes(previous) : 0)
    tallies.set(caller, tally)
    return tally
  }

  /**
   * Creates a verdict. Its `remaining` is the rest of the limit when the counter was last read, plus the unused share
   * of this instance.
   */
  function verdict({ total, held, endsAt }: Tally, allowed: boolean, time: number): Verdict {
    return {
      allowed,
      limit,
      remaining: allowed ? Math.max(0, limit - total + held) : 0,
      resetSec: Math.max(1, Math.ceil((endsAt - time) / 1000)),
    }
  }

  return {
    take,
    tryTake,
    headers: limitHeaders({ limit, ttlMs, name }),
    close: async () => shares?.close(),
  }
}
