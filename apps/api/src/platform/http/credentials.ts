import type { IncomingMessage } from 'node:http'
import { isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from './api-error.ts'

/**
 * Returns the API key of a request, if it has the form of an API key. Does not check whether the key is valid.
 *
 * @throws INVALID_API_KEY
 */
export function readApiKey({ headers }: IncomingMessage): string {
  const key = headers['x-api-key']
  if (typeof key === 'string' && isWellFormed('apiKey', key)) return key
  throw new ApiError('INVALID_API_KEY', {
    ...(key === undefined && holds(headers.authorization, 'rck_') && { detail: keyAsBearer }),
    ...(holds(key, 'rcs_') && { detail: tokenAsKey }),
    reason: key === undefined ? 'missing' : 'malformed',
  })
}

/** Returns a detail for a client that mixed up the API key and the session token, or an empty object. */
export function hintForToken({ headers }: IncomingMessage): { detail?: string } {
  if (holds(headers.authorization, 'rck_')) return { detail: keyForToken }
  return headers.authorization === undefined && holds(headers['x-api-key'], 'rcs_')
    ? { detail: tokenInKeyHeader }
    : {}
}

/** Returns true if a header contains a credential with this prefix. */
const holds = (header: string | string[] | undefined, prefix: string) =>
  typeof header === 'string' && (header.startsWith(prefix) || header.startsWith(`Bearer ${prefix}`))

const keyAsBearer = 'Send the API key in the header X-API-Key, not in Authorization.'
const tokenAsKey = 'X-API-Key contains a session token. Send the API key of a project.'
const keyForToken = 'This endpoint requires a session token, but received the API key of a project.'
const tokenInKeyHeader = 'Send the session token in the header Authorization, as Bearer, not in X-API-Key.'

/**
 * Returns the Bearer token, or undefined. Returns undefined for a repeated header, too: Node.js would silently use the
 * first one.
 */
export function bearerToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const match = /^Bearer ([^\s,]{1,256})$/i.exec(headers.authorization ?? '')
  if (!match) return undefined
  let sent = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'authorization') sent += 1
  }
  return sent === 1 ? match[1] : undefined
}

/**
 * Returns true if the browser's headers show that a page of this service sent the request (Fetch Metadata, RFC 6454).
 */
export function isSameOrigin({ headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === new URL(publicUrl).origin
}

/**
 * Returns true if the browser's headers show that a page of another origin sent the request. Returns false without such
 * headers, which programs do not send.
 */
export const isCrossOrigin = (raw: IncomingMessage, publicUrl: string): boolean =>
  (raw.headers['sec-fetch-site'] !== undefined || raw.headers.origin !== undefined) &&
  !isSameOrigin(raw, publicUrl)

/**
 * Returns false if the browser's headers show that a page fetches or embeds this address, instead of opening it in a
 * window (Fetch Metadata). Does not rely on `Sec-Fetch-Mode` alone, because programs send that header, too.
 */
export function isNavigation({ headers }: IncomingMessage): boolean {
  const dest = headers['sec-fetch-dest']
  if (dest !== undefined) return dest === 'document'
  const site = headers['sec-fetch-site']
  return (site !== 'cross-site' && site !== 'same-site') || headers['sec-fetch-mode'] === 'navigate'
}
