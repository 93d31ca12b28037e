import type { IncomingMessage } from 'node:http'

/**
 * How many `Host` lines a request has. Node.js keeps the first and drops the others without a word, and a proxy before
 * it may have gone by another one: RFC 9112 §3.2 refuses such a request. A plain loop, because every request passes it.
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
