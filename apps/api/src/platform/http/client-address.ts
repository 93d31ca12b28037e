import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Asked } from './front.ts'

/**
 * Reads the address of a client before the framework does, and exactly as it does: behind proxies that are trusted, the
 * last address that none of them has.
 */
export function createAddressReader(trustProxy: readonly string[]): (asked: Asked) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  // It reads the headers and the socket.
  return (asked) => proxyAddr(asked as IncomingMessage, isTrusted)
}
