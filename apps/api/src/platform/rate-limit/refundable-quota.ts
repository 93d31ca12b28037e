import { hash } from 'node:crypto'
import type { Options, RateLimiter } from './rate-limiter.ts'
import { limitHeaders, type Verdict } from './verdict.ts'

export interface OpenVerdict extends Verdict {
  /** When it was taken, by the clock that windows are counted by. */
  readonly takenAtMs: number
}

/** A limit of what is open at a time: whatever ends well gives back what it took. */
export interface RefundableQuota extends RateLimiter {
  take(caller: string): Promise<OpenVerdict>
  /**
   * The moment so long ago, by the clock that windows are counted by: how long ago it was, one other clock can say, and
   * when it was, it cannot.
   */
  momentAgo(ms: number): number
  /**
   * Gives back one that the caller took at that moment, by the clock that windows are counted by. What was taken in an
   * earlier window is over already, and changes nothing.
   */
  giveBack(caller: string, takenAtMs: number): Promise<void>
}

/**
 * Lets a caller have `limit` open in each fixed window of `ttlMs`, summed over all instances. Windows are those of
 * `createRateLimiter`.
 *
 * Every take adds one to the shared counter while that is below the limit, in one step, so the counter is what is open:
 * no more than `limit` are, however many race, and a refused take leaves no trace. What is given back after the cache
 * has lost its counter changes nothing, because it would make room that another has. The cache is asked each time:
 * what is full now may have room in a moment.
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
  // Hashed, to keep strangers' text out of keys.
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
