import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Pace } from './rest.ts'

/**
 * The length of a window. Discord permits a bot 50 requests per second, with any number of instances. With short
 * windows, no second has more than 48 of them. Background work leaves a part of each window to sign-ins.
 */
const windowMs = 200
const sharedLimits = { all: 8, background: 6 }
/**
 * The limits of an instance without the cache. Instances then do not know of each other. With these values, five of
 * them together stay below Discord's limit.
 */
const soloLimits = { all: 2, background: 1 }

/** Creates the pace that all instances with the same cache share. */
export function createPace(cache: Cache): Pace {
  const all = createTurns(cache, 'chat-all', sharedLimits.all, soloLimits.all)
  const background = createTurns(cache, 'chat-background', sharedLimits.background, soloLimits.background)
  return async (priority, signal) => {
    if (priority === 'background') await background(signal)
    await all(signal)
  }
}

/**
 * Creates the pace for the exchange of codes. These requests have no bot token, so Discord counts them for the IP
 * address, with the same limit of 50 per second. 10 of them are left to webhooks.
 */
export const createExchangePace = (cache: Cache) => createTurns(cache, 'chat-oauth', 8, 2)

function createTurns(cache: Cache, name: string, limit: number, limitAlone: number) {
  const shared = createRateLimiter({ cache, limit, windowMs: windowMs, name })
  const own = createRateLimiter({ cache: createMemoryCache(), limit: limitAlone, windowMs: windowMs, name })
  return async (signal: AbortSignal | null = null): Promise<void> => {
    for (;;) {
      const verdict = await shared.consume('platform')
      const { allowed } = verdict.paused ? await own.consume('platform') : verdict
      if (allowed) return
      signal?.throwIfAborted()
      await sleep(windowMs / 4)
    }
  }
}
