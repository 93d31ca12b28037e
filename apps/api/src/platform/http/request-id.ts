import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { looksLikeCredential } from '#platform/crypto/tokens'

/** Returns the ID of a request. */
export type RequestId = (headers: IncomingHttpHeaders) => string

const shape = /^[A-Za-z0-9_-]{8,64}$/

/**
 * Creates the function that returns request IDs. It uses the caller's own ID if that is a plain word and not a
 * credential, which would be stored and shown. Otherwise it generates one from a random start and a count.
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
