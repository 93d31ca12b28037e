import { mintToken } from '#platform/crypto/tokens'
import { claimsByOrderOfScope, claimsOf } from '#responses/oidc-claims'
import { type GrantSource, scopesOf } from './grant-source.ts'
import type { NewToken } from './redemptions-store.ts'
import { digestOfRecord } from './stored-payload.ts'
import type { LiveMember } from './token-session.ts'

/** The lifetime of access tokens and ID tokens, in seconds. */
export const tokenTtlSec = 600

/** A code or refresh token that is being redeemed, with everything that its new tokens contain. */
export interface Granting {
  readonly source: GrantSource
  readonly isCode: boolean
  /** The scopes of the tokens, separated by spaces: those of the grant that the code or refresh token covers. */
  readonly scope: string
  readonly member: LiveMember
  readonly rolesInIdToken: boolean
  readonly nowSec: number
  readonly issuer: string
  readonly refreshTtlSec: number
}

/** A new token: its value for the client, and its stored form. */
interface Issued {
  readonly value: string
  readonly stored: NewToken
}

/** Creates the access token. Its stored form has the fields that the protocol library would store. */
export function issueAccessToken(granting: Granting): Issued {
  const { source, scope, nowSec } = granting
  const { accountId, grantId, sessionUid, sid, clientId } = source
  const gty = grantTypesOf(granting)
  const value = mintToken('accessToken')
  const payload = {
    ...{ iat: nowSec, exp: nowSec + tokenTtlSec, accountId, grantId, gty, sessionUid, sid },
    ...{ kind: 'AccessToken', clientId, scope },
  }
  const digest = digestOfRecord('AccessToken', value)
  return { value, stored: { digest, payload: JSON.stringify(payload), ttlSec: tokenTtlSec } }
}

/** Creates the next refresh token. Returns undefined for a code without the scope `offline_access`. */
export function issueRefreshToken(granting: Granting): Issued | undefined {
  const { source, isCode, nowSec, refreshTtlSec } = granting
  if (isCode && !scopesOf(source.scope).has('offline_access')) return undefined
  const { accountId, authTime, grantId, nonce, scope, sessionUid, sid, clientId } = source
  const value = mintToken('clientRefresh')
  const payload = {
    ...{
      iat: nowSec,
      exp: nowSec + refreshTtlSec,
      accountId,
      authTime,
      grantId,
      gty: grantTypesOf(granting),
    },
    ...{ nonce, rotations: isCode ? 0 : (source.rotations ?? 0) + 1, scope, sessionUid, sid },
    ...{ kind: 'RefreshToken', clientId, iiat: source.iiat ?? nowSec },
  }
  const digest = digestOfRecord('RefreshToken', value)
  return { value, stored: { digest, payload: JSON.stringify(payload), ttlSec: refreshTtlSec } }
}

/** Returns the grant types that led to a token, separated by spaces, the first one first. The library stores them. */
function grantTypesOf({ source: { gty = '' }, isCode }: Granting): string {
  if (isCode) return 'authorization_code'
  return gty.endsWith('refresh_token') ? gty : `${gty} refresh_token`
}

/** Returns the claims of the ID token, in the same order as the protocol library. */
export function idTokenClaims({ source, scope, member, rolesInIdToken, nowSec, issuer }: Granting): object {
  const { nonce, sid, clientId, accountId } = source
  return {
    ...claimsByOrderOfScope(claimsOf(member, { withRoles: rolesInIdToken }), scope),
    ...{ nonce, sid, aud: clientId, exp: nowSec + tokenTtlSec, iat: nowSec, iss: issuer, sub: accountId },
  }
}
