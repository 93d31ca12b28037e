import type { IncomingMessage } from 'node:http'

/**
 * Returns the number of `Host` lines of a request. Node.js silently keeps the first and drops the others, and a proxy
 * before it may have used another one: RFC 9112 §3.2 refuses such a request. A plain loop, because every request
 * passes it.
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
