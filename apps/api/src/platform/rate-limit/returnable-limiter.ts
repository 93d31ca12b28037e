import { hash } from 'node:crypto'
import { limitHeaders, type Options, type RateLimiter, type Verdict } from './rate-limiter.ts'

export interface OpenVerdict extends Verdict {
  /** When it was taken, by the clock that windows are counted by. */
  readonly takenAtMs: number
}

/** A limit of what is open at a time: whatever ends well gives back what it took. */
export interface ReturnableLimiter extends RateLimiter {
  take(caller: string): Promise<OpenVerdict>
  /**
   * Gives back one that the caller took at that moment, by the wall clock. What was taken in an earlier window is
   * over already, and changes nothing.
   */
  giveBack(caller: string, takenAtMs: number): Promise<void>
}

/**
 * Lets a caller have `limit` open in each fixed window of `ttlMs`, summed over all instances. Windows are those of
 * `createRateLimiter`.
 *
 * Every take adds one to the shared counter, and a refused take takes its one back, so the counter never is below
 * what is open: no more than `limit` are, however many race. A take that meets another's refusal, before that was
 * taken back, may be refused as well. Unlike a count that only grows nothing is final here, so the cache is asked
 * each time.
 */
export function createReturnableLimiter({
  cache,
  limit,
  ttlMs,
  name = 'default',
  now = Date.now,
}: Options): ReturnableLimiter {
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
      const total = cache.isUp() ? await cache.count(key, 1, counterMs) : undefined
      if (total === undefined) return { ...open, allowed: true, paused: true, remaining: limit }
      if (total > limit) await cache.count(key, -1, counterMs)
      return { ...open, allowed: total <= limit, remaining: Math.max(0, limit - total) }
    },
    async giveBack(caller, takenAtMs) {
      const window = windowOf(takenAtMs)
      if (limit === 0 || window !== windowOf(now())) return
      await cache.count(keyOf(caller, window), -1, counterMs)
    },
    headers: limitHeaders({ limit, ttlMs, name }),
  }
}
