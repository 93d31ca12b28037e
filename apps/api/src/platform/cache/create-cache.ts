import type { Logger } from 'pino'
import type { Cache } from './cache.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createRedisCache } from './redis-cache.ts'

/** The cache that CACHE_URL names. Throws for any other URL, without repeating it: it may hold a password. */
export function createCache(url: string, { log }: { log: Pick<Logger, 'info' | 'warn'> }): Cache {
  if (url === 'memory:') return createMemoryCache()
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) return createRedisCache({ url, log })
  throw new Error('the cache URL must be memory:, redis://host:port or rediss://host:port')
}
