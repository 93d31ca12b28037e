import type { IncomingMessage } from 'node:http'

/**
 * Returns the number of `Host` lines of a request. Node.js silently uses the first line, but a proxy in front may have
 * used another one, so RFC 9112 §3.2 refuses such a request. Uses a plain loop, because it runs for every request.
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
