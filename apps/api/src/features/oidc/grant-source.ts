import { hash } from 'node:crypto'
import type { GrantRequest } from './grant-request.ts'
import type { GrantedRecord } from './records-store.ts'

/** The fields of a code or refresh token that the tokens for it depend on. */
export interface GrantSource {
  readonly accountId: string
  readonly clientId: string
  readonly grantId: string
  readonly scope: string
  readonly sid?: string
  readonly sessionUid?: string
  readonly authTime?: number
  readonly nonce?: string
  readonly redirectUri?: string
  readonly codeChallenge?: string
  readonly codeChallengeMethod?: string
  readonly gty?: string
  readonly iiat?: number
  readonly rotations?: number
}

/** The fields that carry over to each next refresh token, and those of each kind. A record with others is unusual. */
const carriedFields = [
  ...['kind', 'iat', 'exp', 'accountId', 'clientId', 'grantId', 'scope', 'sid', 'sessionUid', 'authTime'],
  'nonce',
]
const fieldsOf = {
  authorization_code: new Set([...carriedFields, 'redirectUri', 'codeChallenge', 'codeChallengeMethod']),
  refresh_token: new Set([...carriedFields, 'gty', 'iiat', 'rotations']),
}

/**
 * Reads the stored code or refresh token of a request, if it is unused and fits the request in every respect. Returns
 * undefined for every other: the protocol library decides then.
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

export const scopesOf = (scope: string): ReadonlySet<string> => new Set(scope.split(' '))

const verifierShape = /^[\w.~-]{43,128}$/

/** Returns true if the client proves that it requested the code (RFC 7636), or requested it without PKCE. */
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
