import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FrontRequest } from './front.ts'

/**
 * Creates the function that returns the IP address of a client. Behind trusted proxies, that is the last forwarded
 * address that is not a trusted proxy. It gives the same result as the framework, and works before the framework has
 * handled the request.
 */
export function createAddressReader(trustProxy: readonly string[]): (request: FrontRequest) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  // The cast is safe: `proxyAddr` reads only the headers and the socket.
  return (request) => proxyAddr(request as IncomingMessage, isTrusted)
}
