import type { IncomingMessage } from 'node:http'

/**
 * Returns the number of `Host` lines of a request. RFC 9112 §3.2 requires exactly one: Node.js would silently use the
 * first line, while a proxy may have used another one. This is a plain loop, because it runs for every request.
 */
export function countHostLines({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name === 'Host' || name === 'host' || (name?.length === 4 && name.toLowerCase() === 'host'))
      count += 1
  }
  return count
}
