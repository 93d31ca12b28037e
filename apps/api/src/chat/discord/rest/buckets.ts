import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import { ChatPlatformError, type Priority } from '../../chat-platform.ts'

/** Whoever waits longer than this for a bucket is told that the platform is busy. */
const maxWaitMs = 2_000
const lookEveryMs = 50
/** What background work leaves in a bucket, so that a login finds something in it. */
const leftForLogins = 1

export interface Buckets {
  /**
   * Waits while a bucket is empty, as any instance was last told.
   * @throws ChatPlatformError when it stays empty for too long
   */
  turn(route: string, priority: Priority, signal: AbortSignal | null): Promise<void>
  /** Notes what the platform says of a bucket, for all instances. */
  note(
    route: string,
    response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  ): Promise<void>
}

/**
 * The platform counts by route and server, and tells each answer's reader what is left. The library obeys that
 * for one client; here all clients of all instances do. A mark lies in the cache for as long as a bucket is
 * empty, so nobody's clock is asked. While the cache is away each client obeys what it hears itself.
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
          throw new ChatPlatformError('unavailable', 'The chat platform limits our requests.', 429)
        }
        await sleep(lookEveryMs)
      }
    },
    async note(route, { status, headers }) {
      if (status === 429) {
        // Limits that others have used up are over with their time as well.
        const isGlobal = headers.get('x-ratelimit-global') === 'true'
        await mark(isGlobal ? everything : empty(route), headers.get('retry-after'))
        return
      }
      const left = headers.get('x-ratelimit-remaining')
      if (left === null || Number(left) > leftForLogins) return
      const resetAfter = headers.get('x-ratelimit-reset-after')
      // A bucket of one or two has nothing to leave to anyone.
      const isSmall = Number(headers.get('x-ratelimit-limit')) <= leftForLogins + 1
      if (Number(left) === 0) await mark(empty(route), resetAfter)
      else if (!isSmall) await mark(low(route), resetAfter)
    },
  }
}

/** Members of one server share a bucket: `/guilds/1/members/2` and `/guilds/1/members/3` are one route. */
const bucketOf = (route: string): string => route.replace(/(\/guilds\/\d+\/.*?)\d{15,20}$/, '$1:id')
