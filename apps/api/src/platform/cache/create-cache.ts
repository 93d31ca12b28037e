import type { Logger } from 'pino'
import type { Cache } from './cache.ts'
import { cacheUrlForms, readCacheUrl } from './cache-url.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createRedisCache } from './redis-cache.ts'

/**
 * Creates the cache for a CACHE_URL. The error for an invalid URL does not contain the URL, which may include a
 * password.
 */
export function createCache(url: string, { log }: { log: Pick<Logger, 'info' | 'warn'> }): Cache {
  const address = readCacheUrl(url)
  if (!address) throw new Error(`the cache URL must be ${cacheUrlForms}`)
  return address.kind === 'memory' ? createMemoryCache() : createRedisCache({ url, log })
}
