import { hash } from 'node:crypto'
import type { Cache } from '#platform/cache/cache'
import { RecentMap } from '#platform/cache/recent-map'
import { createShares, newTally, recentCount, type Tally } from './shares.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

/** Limits the number of requests per caller. */
export interface RateLimiter {
  /**
   * Counts one request of the caller, and returns whether it is allowed. Never throws or rejects: a refusal is a
   * verdict, too.
   *
   * Returns a promise only if a shared cache must be queried. No query is needed if:
   *
   * - the cache is in memory,
   * - the limit is off or paused,
   * - this instance has reserved requests of the caller in advance, see `createShares`,
   * - this instance knows that the caller has no requests left.
   */
  consume(caller: string): Verdict | Promise<Verdict>

  /** Returns the response headers for a verdict. While the limit is off or paused, there are none. */
  headers(verdict: Verdict): Record<string, string>
}

/** The settings of a rate limiter. */
export interface RateLimiterOptions {
  cache: Cache
  /** The number of requests per caller and window. With 0, the limit is off. */
  limit: number
  /** The length of a window in milliseconds. */
  windowMs: number
  /**
   * Distinguishes several limiters on one cache, and names the limit in response headers. Only letters, digits, and
   * hyphens.
   */
  name?: string
  /** The wall clock. Tests replace it. */
  now?: () => number
}

/** A limiter that may reserve a share of each caller's remaining requests, see `createShares`. */
export interface SharingLimiter extends RateLimiter {
  /**
   * Counts one request and returns true, if this instance can allow it without querying a shared cache. While the limit
   * is off or paused, returns true without counting.
   *
   * Otherwise counts nothing. Returns a promise if this instance can reserve a share of the remaining requests: when it
   * settles, try again. If that fails, too, or the result is undefined, call `consume` for the verdict.
   */
  tryConsume(caller: string): true | Promise<void> | undefined
  /**
   * Returns the unused shares of this instance to the shared counters, so that other instances can use them
   * immediately.
   */
  close(): Promise<void>
}

/**
 * The maximum number of callers in memory. Beyond it, the least recently used ones are evicted. The next request of
 * such a caller queries the cache again.
 */
const maxCallers = 100_000

/**
 * Creates a limiter that allows `limit` requests per caller in each window of `windowMs`, across all instances.
 *
 * The number of a window is the wall clock divided by `windowMs`, so instances with equal clocks are in the same
 * window. If one instance's clock is d ahead, up to `limit` extra requests can pass in the last d of a window. A
 * counter expires after two windows, so that an instance whose clock is behind can still read it.
 *
 * An instance does not query a shared cache for every request. It reserves a share of the remaining requests, see
 * `createShares`.
 */
export function createRateLimiter({
  cache,
  limit,
  windowMs,
  name = 'default',
  now = Date.now,
}: RateLimiterOptions): SharingLimiter {
  const counterMs = windowMs * 2
  const windowSec = Math.max(1, Math.ceil(windowMs / 1000))
  const offVerdict: Verdict = Object.freeze({ allowed: true, limit: 0, remaining: 0, resetSec: 1 })
  const pausedVerdict: Verdict = Object.freeze({
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
            isAllowed === undefined ? pausedVerdict : verdict(tally, isAllowed, now()),
        })

  let window = Number.NaN
  let tallies = new RecentMap<Tally>(maxCallers)
  /** The tallies of the previous window. They show how fast a caller sends requests. */
  let previousTallies = tallies

  function consume(caller: string): Verdict | Promise<Verdict> {
    if (limit === 0) return offVerdict
    if (!cache.isUp()) return pausedVerdict

    const time = now()
    const tally = currentTally(caller, Math.floor(time / windowMs))
    return shares ? shares.consume(tally) : consumeLocally(tally, time)
  }

  function tryConsume(caller: string): true | Promise<void> | undefined {
    if (limit === 0 || !cache.isUp()) return true

    const time = now()
    const tally = currentTally(caller, Math.floor(time / windowMs))
    if (shares) return shares.consumeReserved(tally) || shares.reserve(tally)
    return consumeLocally(tally, time).allowed || undefined
  }

  /** Counts a request in the memory cache, which no other process shares. */
  function consumeLocally(tally: Tally, time: number): Verdict {
    if (tally.total >= limit) return verdict(tally, false, time)
    const total = cache.count(tally.key, 1, counterMs)
    if (typeof total !== 'number') return pausedVerdict
    tally.total = total
    return verdict(tally, total <= limit, time)
  }

  /** Returns the caller's tally in the current window. Starts a new window if the previous one has ended. */
  function currentTally(caller: string, current: number): Tally {
    if (current !== window) {
      window = current
      previousTallies = tallies
      tallies = new RecentMap(maxCallers)
    }
    const existing = tallies.get(caller)
    if (existing) return existing

    // Hashed, because the name of a caller often contains a credential, and to keep untrusted text out of the cache's
    // keys.
    const key = `limit:${name}:${hash('sha256', caller, 'base64url')}:${current}`
    const previous = previousTallies.get(caller)
    const tally = newTally(key, (current + 1) * windowMs, previous ? recentCount(previous) : 0)
    tallies.set(caller, tally)
    return tally
  }

  /**
   * Creates a verdict. `remaining` is what was left of the limit when the counter was last read, plus the unused share
   * of this instance.
   */
  function verdict({ total, reserved, endsAtMs }: Tally, allowed: boolean, time: number): Verdict {
    return {
      allowed,
      limit,
      remaining: allowed ? Math.max(0, limit - total + reserved) : 0,
      resetSec: Math.max(1, Math.ceil((endsAtMs - time) / 1000)),
    }
  }

  return {
    consume,
    tryConsume,
    headers: limitHeaders({ limit, windowMs, name }),
    close: async () => shares?.close(),
  }
}
