import { hash } from 'node:crypto'
import type { RateLimiter, RateLimiterOptions } from './rate-limiter.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

/** A verdict that `refund` can take back. */
export interface RefundableVerdict extends Verdict {
  /** The time at which the operation was counted. It determines the window. */
  readonly consumedAtMs: number
}

/**
 * Limits how many operations of a caller may be open at the same time, such as sign-ins that were started. A completed
 * operation is refunded, and no longer counts.
 */
export interface RefundableQuota extends RateLimiter {
  consume(caller: string): Promise<RefundableVerdict>
  /**
   * Returns the time `ms` before now, by the clock that determines windows. A caller can measure a duration with
   * another clock, but must not use the time of that clock.
   */
  timeAgo(ms: number): number
  /**
   * Refunds the operation that was counted for the caller at this time. Has no effect after the end of that window,
   * because its counter has expired.
   */
  refund(caller: string, consumedAtMs: number): Promise<void>
}

/**
 * Creates a quota of `limit` open operations per caller in each window of `windowMs`, across all instances. The
 * windows are those of `createRateLimiter`.
 *
 * Every `consume` increments the shared counter in one atomic step, if the counter is below the limit. So the counter
 * is the number of open operations, no race can exceed the limit, and a refused `consume` changes nothing. If the cache
 * has lost the counter, a refund has no effect, because it would free the place of another operation. Every `consume`
 * queries the cache, because a full counter may have room a moment later.
 */
export function createRefundableQuota({
  cache,
  limit,
  windowMs,
  name = 'default',
  now = Date.now,
}: RateLimiterOptions): RefundableQuota {
  const counterMs = windowMs * 2
  const windowOf = (time: number) => Math.floor(time / windowMs)
  // Hashed, to keep untrusted text out of the cache's keys.
  const keyOf = (caller: string, window: number) =>
    `limit:${name}:${hash('sha256', caller, 'base64url')}:${window}`
  const resetSecAt = (time: number) => Math.max(1, Math.ceil(((windowOf(time) + 1) * windowMs - time) / 1000))

  return {
    async consume(caller) {
      const time = now()
      const open = { consumedAtMs: time, limit, resetSec: resetSecAt(time) }
      if (limit === 0) return { ...open, allowed: true, remaining: 0 }
      const key = keyOf(caller, windowOf(time))
      const terms = { limit, from: 0, windowMs: counterMs }
      const response = cache.isUp() ? await cache.countUpTo(key, 1, terms) : undefined
      if (!response) return { ...open, allowed: true, paused: true, remaining: limit }
      return { ...open, allowed: response.counted === 1, remaining: Math.max(0, limit - response.total) }
    },
    timeAgo: (ms) => now() - ms,
    async refund(caller, consumedAtMs) {
      const window = windowOf(consumedAtMs)
      if (limit === 0 || window !== windowOf(now())) return
      await cache.subtract(keyOf(caller, window), 1)
    },
    headers: limitHeaders({ limit, windowMs, name }),
  }
}
