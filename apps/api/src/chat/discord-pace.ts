import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Pace } from './discord-rest.ts'

/**
 * The platform allows a bot 50 requests a second, however many instances it has. Counted in short windows,
 * no second has more than 48 of them. Background work leaves a part of each window to logins.
 */
const windowMs = 200
const perWindow = { all: 8, background: 6 }

/** Takes turns with all instances that share the cache. While it is away, each keeps the limit by itself. */
export function createPace(cache: Cache): Pace {
  const limiter = (name: keyof typeof perWindow) =>
    createRateLimiter({ cache, limit: perWindow[name], ttlMs: windowMs, name: `chat-${name}` })
  const all = limiter('all')
  const background = limiter('background')
  const turn = async (limit: typeof all, signal: AbortSignal | null) => {
    while (!(await limit.take('platform')).allowed) {
      signal?.throwIfAborted()
      await sleep(windowMs / 4)
    }
  }
  return async (priority, signal) => {
    if (priority === 'background') await turn(background, signal)
    await turn(all, signal)
  }
}
