import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type Call, param, type Reply } from './call.ts'
import { rateLimited } from './rate-limited.ts'
import type { RouteName } from './route-names.ts'

/** The part of a route on which its rate-limit bucket depends. */
export interface LimitedRoute {
  name: RouteName
  method: string
  path: string
}

/** A rate limit: the number of requests that are allowed per time. */
export interface Limit {
  limit: number
  perMs: number
}

/** The default limit. It is enough for every test that is not about limits. */
const generous: Limit = { limit: 10_000, perMs: 1_000 }

interface Bucket {
  left: number
  resetAt: number
}

/** Creates the counters of rate limits, by bucket and caller. */
export function createRateLimits(clock: Clock) {
  const sizes = new Map<RouteName, Limit>()
  const buckets = new Map<string, Bucket>()

  function take(key: string, { limit, perMs }: Limit): Bucket & { allowed: boolean } {
    const now = clock.now()
    const known = buckets.get(key)
    const bucket = known && known.resetAt > now ? known : { left: limit, resetAt: now + perMs }
    if (bucket !== known) {
      if (buckets.size > 5_000)
        for (const [other, { resetAt }] of buckets) if (resetAt <= now) buckets.delete(other)
      buckets.set(key, bucket)
    }
    const allowed = bucket.left > 0
    if (allowed) bucket.left--
    return { ...bucket, allowed }
  }

  return {
    /** Sets the limit of a route. `undefined` restores the default. */
    setLimit: (route: RouteName, limit: Limit | undefined) => {
      if (limit) sizes.set(route, limit)
      else sizes.delete(route)
      buckets.clear()
    },
    clear: () => {
      sizes.clear()
      buckets.clear()
    },
    /** Returns the headers for a reply, or the 429 that replaces it. */
    check(route: LimitedRoute, call: Call): { headers: Record<string, string> } | { refusal: Reply } {
      const who = callerKey(call)
      const size = sizes.get(route.name) ?? generous
      const major = param(call, 'guild') || param(call, 'webhook')
      const bucket = take(`${route.method} ${route.path} ${major} ${who}`, size)
      const headers = bucketHeaders(route, size, bucket, clock.now())
      if (bucket.allowed) return { headers }
      const refusal = rateLimited({ retryAfterSec: (bucket.resetAt - clock.now()) / 1_000 })
      return { refusal: { ...refusal, headers: { ...refusal.headers, ...headers } } }
    },
  }
}

/**
 * Returns the key by which calls are counted: the bot, the user, or else the address, of which there is only one here.
 */
function callerKey({ caller }: Call): string {
  return caller.kind === 'bearer' ? caller.grant.userId : caller.kind
}

const bucketIds = new Map<LimitedRoute, string>()

/** Returns the ID of a bucket: as on the platform, an opaque hash that is always the same for a route. */
function bucketId(route: LimitedRoute): string {
  const known = bucketIds.get(route)
  if (known) return known
  const id = createHash('md5').update(`${route.method} ${route.path}`).digest('hex')
  bucketIds.set(route, id)
  return id
}

function bucketHeaders(route: LimitedRoute, { limit }: Limit, { left, resetAt }: Bucket, now: number) {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': (resetAt / 1_000).toFixed(3),
    'x-ratelimit-reset-after': (Math.max(0, resetAt - now) / 1_000).toFixed(3),
    'x-ratelimit-bucket': bucketId(route),
  }
}
