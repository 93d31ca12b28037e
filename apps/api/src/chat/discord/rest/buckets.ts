import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { ChatPlatformError, type Priority } from '../../chat-platform.ts'

/** If a request would have to wait longer than this, it fails: Discord is busy. */
const maxWaitMs = 2_000
const checkEveryMs = 50
/** The number of requests in each bucket that background work leaves to sign-ins. */
const leftForLogins = 1

/** Discord's rate limit buckets: the number of requests that it permits per route. */
export interface Buckets {
  /**
   * Waits while the bucket of a route is empty, according to the last response to any instance.
   *
   * @throws ChatPlatformError if it stays empty for too long
   */
  wait(route: string, priority: Priority, signal: AbortSignal | null): Promise<void>
  /** Records the state of a bucket from a response, for all instances. */
  record(
    route: string,
    response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  ): Promise<void>
}

/**
 * Shares the state of Discord's buckets between all clients of all instances. Discord counts requests by route and
 * server, and reports the remaining number with each response. The library observes that only for its own client. While
 * a bucket is empty, the cache contains a mark that expires with it, so no clocks are compared. Without the cache, each
 * client only knows its own responses.
 */
export function createBuckets(cache: Cache): Buckets {
  const everything = 'chat-bucket:everything'
  const empty = (route: string) => `chat-bucket:empty:${bucketOf(route)}`
  const low = (route: string) => `chat-bucket:low:${bucketOf(route)}`
  const mark = (key: string, seconds: string | null) =>
    cache.set(key, '1', Math.min(Math.ceil(Number(seconds ?? 1) * 1_000) || 1_000, 3_600_000))

  return {
    async wait(route, priority, signal) {
      const keys = [everything, empty(route), ...(priority === 'background' ? [low(route)] : [])]
      const deadline = performance.now() + maxWaitMs
      while ((await Promise.all(keys.map((key) => cache.get(key)))).some((found) => found !== undefined)) {
        signal?.throwIfAborted()
        if (performance.now() > deadline) {
          throw new ChatPlatformError('unavailable', 'Discord rate-limits requests.', 429)
        }
        await sleep(checkEveryMs)
      }
    },
    async record(route, { status, headers }) {
      if (status === 429) {
        // This also applies if others have used up the limit.
        const isGlobal = headers.get('x-ratelimit-global') === 'true'
        await mark(isGlobal ? everything : empty(route), headers.get('retry-after'))
        return
      }
      const left = headers.get('x-ratelimit-remaining')
      if (left === null || Number(left) > leftForLogins) return
      const resetAfter = headers.get('x-ratelimit-reset-after')
      // A bucket of one or two requests is too small to leave a part of it to sign-ins.
      const isSmall = Number(headers.get('x-ratelimit-limit')) <= leftForLogins + 1
      if (Number(left) === 0) await mark(empty(route), resetAfter)
      else if (!isSmall) await mark(low(route), resetAfter)
    },
  }
}

/**
 * Returns the route of a bucket. The members of a server share one: `/guilds/1/members/2` and `/guilds/1/members/3`
 * have the same route.
 */
const bucketOf = (route: string): string => route.replace(/(\/guilds\/\d+\/.*?)\d{15,20}$/, '$1:id')
