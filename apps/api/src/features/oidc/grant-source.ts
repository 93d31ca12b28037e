import { hash } from 'node:crypto'
import type { GrantRequest } from './grant-request.ts'
import type { GrantedRecord } from './records-store.ts'

/** The stored fields of a code or refresh token that its new tokens depend on. The names are the library's. */
export interface GrantSource {
  readonly accountId: string
  readonly clientId: string
  readonly grantId: string
  readonly scope: string
  /** The session ID that the ID token contains. */
  readonly sid?: string
  /** The ID of the browser's session with the library. */
  readonly sessionUid?: string
  /** The time of the sign-in, in seconds since 1970. */
  readonly authTime?: number
  readonly nonce?: string
  readonly redirectUri?: string
  readonly codeChallenge?: string
  readonly codeChallengeMethod?: string
  /** The grant types through which a refresh token was created. */
  readonly gty?: string
  /** The time at which the first refresh token of the session was issued, in seconds since 1970. */
  readonly iiat?: number
  /** The number of times that the refresh token was replaced. */
  readonly rotations?: number
}

/** The fields that every code and refresh token may have. */
const carriedFields = [
  ...['kind', 'iat', 'exp', 'accountId', 'clientId', 'grantId', 'scope', 'sid', 'sessionUid', 'authTime'],
  'nonce',
]
/** All permitted fields of each kind. A record with any other field goes to the library. */
const fieldsOf = {
  authorization_code: new Set([...carriedFields, 'redirectUri', 'codeChallenge', 'codeChallengeMethod']),
  refresh_token: new Set([...carriedFields, 'gty', 'iiat', 'rotations']),
}

/**
 * Reads the stored code or refresh token of a request, if it is valid, unused, and matches the request in all respects.
 * Otherwise returns undefined, and the protocol library decides.
 */
export function readGrantSource(
  { grantType, clientId, redirectUri, codeVerifier }: GrantRequest,
  row: GrantedRecord | undefined,
): GrantSource | undefined {
  if (!row || row.isExpired || row.consumedAgoSec !== null || row.grant?.clientId !== null) return undefined
  const read = JSON.parse(row.payload) as GrantSource
  const isUsual =
    Object.keys(read).every((field) => fieldsOf[grantType].has(field)) &&
    read.clientId === clientId &&
    read.grantId === row.sessionId &&
    typeof read.scope === 'string'
  if (!isUsual || !scopesOf(read.scope).has('openid')) return undefined
  const fits =
    grantType === 'authorization_code'
      ? read.redirectUri === redirectUri && isProven(read, codeVerifier)
      : read.gty !== undefined
  return fits ? read : undefined
}

/** Splits a `scope` parameter, whose values are separated by spaces. */
export const scopesOf = (scope: string): ReadonlySet<string> => new Set(scope.split(' '))

const verifierShape = /^[\w.~-]{43,128}$/

/** Returns true if the verifier matches the challenge (PKCE, RFC 7636), or if the request has neither. */
function isProven(
  { codeChallenge, codeChallengeMethod }: GrantSource,
  verifier: string | undefined,
): boolean {
  if (codeChallenge === undefined || verifier === undefined) return codeChallenge === verifier
  return (
    codeChallengeMethod === 'S256' &&
    verifierShape.test(verifier) &&
    hash('sha256', verifier, 'base64url') === codeChallenge
  )
}
