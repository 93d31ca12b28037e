import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Pace } from './rest.ts'

/**
 * The platform allows a bot 50 requests a second, however many instances it has. Counted in short windows,
 * no second has more than 48 of them. Background work leaves a part of each window to logins.
 */
const windowMs = 200
const together = { all: 8, background: 6 }
/** While the cache is away nobody knows of the others: five instances keep the limit with this, each alone. */
const alone = { all: 2, background: 1 }

/** Takes turns with all instances that share the cache. */
export function createPace(cache: Cache): Pace {
  const all = createTurns(cache, 'chat-all', together.all, alone.all)
  const background = createTurns(cache, 'chat-background', together.background, alone.background)
  return async (priority, signal) => {
    if (priority === 'background') await background(signal)
    await all(signal)
  }
}

/**
 * Turns of the code exchange. It carries no bot token, so the platform counts it for our address, by the same 50 a
 * second; 10 of them are left to the posting of webhooks.
 */
export const createExchangePace = (cache: Cache) => createTurns(cache, 'chat-oauth', 8, 2)

function createTurns(cache: Cache, name: string, limit: number, limitAlone: number) {
  const shared = createRateLimiter({ cache, limit, ttlMs: windowMs, name })
  const own = createRateLimiter({ cache: createMemoryCache(), limit: limitAlone, ttlMs: windowMs, name })
  return async (signal: AbortSignal | null = null): Promise<void> => {
    for (;;) {
      const verdict = await shared.take('platform')
      const { allowed } = verdict.paused ? await own.take('platform') : verdict
      if (allowed) return
      signal?.throwIfAborted()
      await sleep(windowMs / 4)
    }
  }
}
