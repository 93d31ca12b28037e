import type { IncomingMessage } from 'node:http'
import { isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from './api-error.ts'

/**
 * Returns the API key, if it has the form of one.
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

/** Returns a hint for a caller that sent an API key in place of a session token, or the token in place of the key. */
export function hintForToken({ headers }: IncomingMessage): { detail?: string } {
  if (holds(headers.authorization, 'rck_')) return { detail: keyForToken }
  return headers.authorization === undefined && holds(headers['x-api-key'], 'rcs_')
    ? { detail: tokenInKeyHeader }
    : {}
}

/** Returns true if a header contains a credential of this kind, by its prefix. */
const holds = (header: string | string[] | undefined, prefix: string) =>
  typeof header === 'string' && (header.startsWith(prefix) || header.startsWith(`Bearer ${prefix}`))

const keyAsBearer = 'Send the API key in the header X-API-Key, not in Authorization.'
const tokenAsKey = 'X-API-Key contains a session token. Send the API key of a project.'
const keyForToken = 'This endpoint requires a session token, but received the API key of a project.'
const tokenInKeyHeader = 'Send the session token in the header Authorization, as Bearer, not in X-API-Key.'

/** Returns the Bearer token, or undefined. Rejects a repeated header, of which Node.js would silently use the first. */
export function bearerToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const match = /^Bearer ([^\s,]{1,256})$/i.exec(headers.authorization ?? '')
  if (!match) return undefined
  let sent = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'authorization') sent += 1
  }
  return sent === 1 ? match[1] : undefined
}

/** Returns true if a browser states that a page of this origin sent the request (Fetch Metadata, RFC 6454). */
export function isSameOrigin({ headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === new URL(publicUrl).origin
}

/**
 * Returns true if a browser states that a page of another origin sent the request. Programs send no such headers.
 */
export const isCrossOrigin = (raw: IncomingMessage, publicUrl: string): boolean =>
  (raw.headers['sec-fetch-site'] !== undefined || raw.headers.origin !== undefined) &&
  !isSameOrigin(raw, publicUrl)

/**
 * Returns false if a browser states that a page fetches or embeds this address instead of navigating a window to it
 * (Fetch Metadata). `Sec-Fetch-Mode` alone proves nothing, because programs send it, too.
 */
export function isNavigation({ headers }: IncomingMessage): boolean {
  const dest = headers['sec-fetch-dest']
  if (dest !== undefined) return dest === 'document'
  const site = headers['sec-fetch-site']
  return (site !== 'cross-site' && site !== 'same-site') || headers['sec-fetch-mode'] === 'navigate'
}
