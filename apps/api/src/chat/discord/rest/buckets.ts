import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { ChatPlatformError, type Priority } from '../../chat-platform.ts'

/** A request that waits longer than this for a bucket fails: the platform is busy. */
const maxWaitMs = 2_000
const checkEveryMs = 50
/** The number of requests that background work leaves in a bucket for sign-ins. */
const leftForLogins = 1

export interface Buckets {
  /**
   * Waits while a bucket is empty, according to the last answer to any instance.
   * @throws ChatPlatformError if it stays empty for too long
   */
  turn(route: string, priority: Priority, signal: AbortSignal | null): Promise<void>
  /** Records the state of a bucket, as the platform reported it, for all instances. */
  note(
    route: string,
    response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  ): Promise<void>
}

/**
 * Shares the platform's buckets. The platform counts by route and server, and reports the remainder with each
 * answer. The library observes that for one client; here all clients of all instances do. A mark stays in the cache
 * while a bucket is empty, so no clock is compared. Without the cache each client observes its own answers.
 */
export function createBuckets(cache: Cache): Buckets {
  const everything = 'chat-bucket:everything'
  const empty = (route: string) => `chat-bucket:empty:${bucketOf(route)}`
  const low = (route: string) => `chat-bucket:low:${bucketOf(route)}`
  const mark = (key: string, seconds: string | null) =>
    cache.set(key, '1', Math.min(Math.ceil(Number(seconds ?? 1) * 1_000) || 1_000, 3_600_000))

  return {
    async turn(route, priority, signal) {
      const keys = [everything, empty(route), ...(priority === 'background' ? [low(route)] : [])]
      const deadline = performance.now() + maxWaitMs
      while ((await Promise.all(keys.map((key) => cache.get(key)))).some((found) => found !== undefined)) {
        signal?.throwIfAborted()
        if (performance.now() > deadline) {
          throw new ChatPlatformError('unavailable', 'The chat platform rate-limits requests.', 429)
        }
        await sleep(checkEveryMs)
      }
    },
    async note(route, { status, headers }) {
      if (status === 429) {
        // Limits that others have used up also end with their time.
        const isGlobal = headers.get('x-ratelimit-global') === 'true'
        await mark(isGlobal ? everything : empty(route), headers.get('retry-after'))
        return
      }
      const left = headers.get('x-ratelimit-remaining')
      if (left === null || Number(left) > leftForLogins) return
      const resetAfter = headers.get('x-ratelimit-reset-after')
      // A bucket of one or two has too little to reserve a part.
      const isSmall = Number(headers.get('x-ratelimit-limit')) <= leftForLogins + 1
      if (Number(left) === 0) await mark(empty(route), resetAfter)
      else if (!isSmall) await mark(low(route), resetAfter)
    },
  }
}

/** Members of one server share a bucket: `/guilds/1/members/2` and `/guilds/1/members/3` are one route. */
const bucketOf = (route: string): string => route.replace(/(\/guilds\/\d+\/.*?)\d{15,20}$/, '$1:id')
