import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Asked } from './front.ts'

/**
 * Creates a function that reads the address of a client, before the framework does and in the same way: behind trusted
 * proxies, it is the last address that is not one of theirs.
 */
export function createAddressReader(trustProxy: readonly string[]): (asked: Asked) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  // `proxyAddr` reads only the headers and the socket.
  return (asked) => proxyAddr(asked as IncomingMessage, isTrusted)
}
