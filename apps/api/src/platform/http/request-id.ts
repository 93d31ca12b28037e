import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { looksLikeCredential } from '#platform/crypto/tokens'

/** Returns the ID of a request, for its response and the log. */
export type RequestId = (headers: IncomingHttpHeaders) => string

const shape = /^[A-Za-z0-9_-]{8,64}$/

/**
 * Creates the function that assigns request IDs. It uses the ID that the client sent, if that is a plain word that does
 * not look like a credential, because the ID is stored and shown. Otherwise, it creates an ID from a random prefix and
 * a counter.
 */
export function createRequestIds(): RequestId {
  const instance = randomBytes(5).toString('hex')
  let count = 0
  return (headers) => {
    const given = headers['x-request-id']
    if (typeof given === 'string' && shape.test(given) && !looksLikeCredential(given)) return given
    count += 1
    return `${instance}-${count.toString(36)}`
  }
}
