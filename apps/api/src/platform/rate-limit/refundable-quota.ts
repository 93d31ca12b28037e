import { hash } from 'node:crypto'
import type { Options, RateLimiter } from './rate-limiter.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

export interface OpenVerdict extends Verdict {
  /** The time at which it was taken, by the clock of the windows. */
  readonly takenAtMs: number
}

/** A limit of simultaneously open pieces of work. A successful piece is given back. */
export interface RefundableQuota extends RateLimiter {
  take(caller: string): Promise<OpenVerdict>
  /**
   * Returns the time `ms` before now, by the clock of the windows. Another clock can measure the duration, but not the
   * time.
   */
  momentAgo(ms: number): number
  /**
   * Gives back the piece that the caller took at that time, by the clock of the windows. A piece from an earlier window
   * has expired, so giving it back has no effect.
   */
  giveBack(caller: string, takenAtMs: number): Promise<void>
}

/**
 * Allows a caller `limit` open pieces in each fixed window of `ttlMs`, summed over all instances. Windows are those of
 * `createRateLimiter`.
 *
 * Every take adds one to the shared counter in one atomic step, if the counter is below the limit. So the counter is
 * the number of open pieces, at most `limit` pieces are open in any race, and a refused take has no effect. After the
 * cache has lost a counter, giving back has no effect, because it would free the place of another caller. Each take
 * queries the cache, because a full counter can have room a moment later.
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
  // Hashes the caller, to keep untrusted text out of keys.
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
