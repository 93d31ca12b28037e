import { hash } from 'node:crypto'
import type { Options, RateLimiter } from './rate-limiter.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

/** A verdict that can be taken back with `giveBack`. */
export interface OpenVerdict extends Verdict {
  /** The time at which it was taken. It determines the window. */
  readonly takenAtMs: number
}

/**
 * Limits how many operations of a caller may be open at the same time, such as sign-ins that were started. A completed
 * operation is given back, and no longer counts.
 */
export interface RefundableQuota extends RateLimiter {
  take(caller: string): Promise<OpenVerdict>
  /**
   * Returns the time `ms` before now, by the clock that determines windows. A caller can measure a duration with
   * another clock, but must not use the time of that clock.
   */
  momentAgo(ms: number): number
  /**
   * Gives back the operation that the caller took at this time. Has no effect after the end of that window, because its
   * counter has expired.
   */
  giveBack(caller: string, takenAtMs: number): Promise<void>
}

/**
 * Creates a quota of `limit` open operations per caller in each window of `ttlMs`, over all instances together. The
 * windows are those of `createRateLimiter`.
 *
 * Every `take` increments the shared counter in one atomic step, if the counter is below the limit. So the counter is
 * the number of open operations, no race can exceed the limit, and a refused `take` changes nothing. If the cache has
 * lost the counter, giving back has no effect, because it would free the place of another operation. Every `take`
 * queries the cache, because a full counter may have room a moment later.
 */
export function createRefundableQuota({
  cache,
  limit,
  ttlMs,
  name = 'default',
  now = Date.now,
}: Options): RefundableQuota {
  const counterMs = ttlMs * 2
  const windowOf = (time: number) => Math.floor(time / ttlMs)
  // Hashed, to keep untrusted text out of the cache's keys.
  const keyOf = (caller: string, window: number) =>
    `limit:${name}:${hash('sha256', caller, 'base64url')}:${window}`
  const resetSecAt = (time: number) => Math.max(1, Math.ceil(((windowOf(time) + 1) * ttlMs - time) / 1000))

  return {
    async take(caller) {
      const time = now()
      const open = { takenAtMs: time, limit, resetSec: resetSecAt(time) }
      if (limit === 0) return { ...open, allowed: true, remaining: 0 }
      const key = keyOf(caller, windowOf(time))
      const terms = { limit, from: 0, windowMs: counterMs }
      const answer = cache.isUp() ? await cache.countUpTo(key, 1, terms) : undefined
      if (!answer) return { ...open, allowed: true, paused: true, remaining: limit }
      return { ...open, allowed: answer.counted === 1, remaining: Math.max(0, limit - answer.total) }
    },
    momentAgo: (ms) => now() - ms,
    async giveBack(caller, takenAtMs) {
      const window = windowOf(takenAtMs)
      if (limit === 0 || window !== windowOf(now())) return
      await cache.giveBack(keyOf(caller, window), 1)
    },
    headers: limitHeaders({ limit, ttlMs, name }),
  }
}
