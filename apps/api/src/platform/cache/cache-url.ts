import { parseUrl } from '../parse-url.ts'

/** True for what CACHE_URL may name: `memory:`, `redis://host:port` or `rediss://host:port`. */
export function isCacheUrl(url: string): boolean {
  if (url === 'memory:') return true
  const parsed = /^rediss?:\/\//.test(url) ? parseUrl(url) : undefined
  if (!parsed) return false
  const { hostname, username, password } = parsed
  return hostname !== '' && isPercentEncoded(username) && isPercentEncoded(password)
}

/** A password with a bare % parses as a URL, but cannot be read out of it. */
function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text)
}
