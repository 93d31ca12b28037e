import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Pace } from './discord-rest.ts'

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
  const shared = createLane(cache, together)
  const own = createLane(createMemoryCache(), alone)
  const turn = async (lane: keyof typeof together, signal: AbortSignal | null) => {
    for (;;) {
      const verdict = await shared[lane].take('platform')
      const { allowed } = verdict.paused ? await own[lane].take('platform') : verdict
      if (allowed) return
      signal?.throwIfAborted()
      await sleep(windowMs / 4)
    }
  }
  return async (priority, signal) => {
    if (priority === 'background') await turn('background', signal)
    await turn('all', signal)
  }
}

const createLane = (cache: Cache, limits: typeof together) => ({
  all: createRateLimiter({ cache, limit: limits.all, ttlMs: windowMs, name: 'chat-all' }),
  background: createRateLimiter({
    cache,
    limit: limits.background,
    ttlMs: windowMs,
    name: 'chat-background',
  }),
})
