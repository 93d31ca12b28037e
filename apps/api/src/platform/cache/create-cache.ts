import type { Logger } from 'pino'
import type { Cache } from './cache.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createRedisCache } from './redis-cache.ts'

/** The cache that CACHE_URL names. Throws for any other URL, without repeating it: it may hold a password. */
export function createCache(url: string, { log }: { log: Pick<Logger, 'info' | 'warn'> }): Cache {
  if (url === 'memory:') return createMemoryCache()
  if (isRedisUrl(url)) return createRedisCache({ url, log })
  throw new Error('the cache URL must be memory:, redis://host:port or rediss://host:port')
}

function isRedisUrl(url: string): boolean {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) return false
  const { hostname, username, password } = new URL(url)
  return hostname !== '' && isPercentEncoded(username) && isPercentEncoded(password)
}

/** A password with a bare % parses as a URL, but cannot be read out of it. */
function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text)
}
