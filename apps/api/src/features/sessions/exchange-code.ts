import { createHash } from 'node:crypto'
import type { sessions } from '@rolecall/contract'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import type { Client } from '#platform/http/router'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { redeemCheck } from './checks.ts'
import { redeemInTransaction, type SessionChanges } from './gathered-changes.ts'
import { recordReuse } from './record-reuse.ts'
import {
  type CodeClaim,
  codeAwaitsVerifier,
  isCodeOfBlockedMember,
  type NewSession,
  type Redemption,
  revokeSessionOfCode,
} from './store.ts'
import { toTokenResponse } from './token-response.ts'

/** The parts of an exchange request. */
export interface ExchangeCode {
  readonly clientId: string
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier?: string | undefined
  /** The member's address and browser, if the project sends them. For a null, the code's own value is stored. */
  readonly forwarded: { readonly ip: string | null; readonly userAgent: string | null }
  /** The sender of the request: the project's backend. */
  readonly client?: Client
}

/**
 * Redeems a one-time code for a session. INVALID_CODE does not say whether the code is unknown, used, expired, from
 * another project, or for another redirect URI, because this would help only the holder of a stolen code. A missing
 * PKCE verifier and a blocked member have errors of their own.
 *
 * @throws INVALID_CODE, CHALLENGE_WITHOUT_VERIFIER, MEMBER_BLOCKED
 */
export async function exchangeCode(
  deps: Pick<Deps, 'db' | 'config' | 'audit'> & Pick<SessionChanges, 'redeemCode'>,
  { projectId }: ProjectCaller,
  { clientId, code, redirectUri, codeVerifier, forwarded, client }: ExchangeCode,
): Promise<sessions.TokenResponse> {
  // This error can be specific, because it contains only what the caller knows: the code has not been looked up yet.
  if (clientId !== projectId) {
    const errors = [{ path: '/clientId', message: 'is not the project of this API key', code: 'FOREIGN' }]
    throw new ApiError('INVALID_CODE', { reason: 'malformed_or_foreign', projectId, errors })
  }
  const { sessionTtlSec: ttlSec, sessionMaxAgeSec: maxAgeSec } = deps.config
  const presented = { code, projectId, redirectUri, codeVerifier, browserDigests: null }
  return redeem(deps, presented, { ...forwarded, ttlSec, maxAgeSec }, client)
}

/** A code as the caller presents it, with the values that must match the stored code. */
export interface PresentedCode extends Omit<CodeClaim, 'codeDigest' | 'challenge'> {
  readonly code: string
  readonly codeVerifier: string | undefined
}

/**
 * Creates a session from a code. If the code was used before, ends the session that its first use created, because two
 * parties know the code. Also completes the sign-in of admins (`projectId` null) and of hosts (`kind` `hostSession`).
 *
 * @throws INVALID_CODE, CHALLENGE_WITHOUT_VERIFIER, MEMBER_BLOCKED
 */
export async function redeem(
  { db, audit, redeemCode }: Pick<Deps, 'db' | 'audit'> & Pick<SessionChanges, 'redeemCode'>,
  { code, codeVerifier, ...rest }: PresentedCode,
  terms: Pick<NewSession, 'ip' | 'userAgent' | 'ttlSec' | 'maxAgeSec'>,
  client?: Client,
  kind: 'session' | 'hostSession' = 'session',
): Promise<sessions.TokenResponse> {
  const projectId = rest.projectId ?? undefined
  const ofProject = projectId ? { projectId } : {}
  if (!isWellFormed('code', code)) {
    throw new ApiError('INVALID_CODE', { reason: 'malformed_or_foreign', ...ofProject })
  }
  const challenge = codeVerifier ? createHash('sha256').update(codeVerifier).digest('base64url') : null
  const claim: CodeClaim = { ...rest, codeDigest: digestOf(code), challenge }
  const token = mintToken(kind)
  const refreshToken = mintToken('refresh')
  const pair = { tokenDigest: digestOf(token), refreshDigest: digestOf(refreshToken) }
  const session: NewSession = { id: uuidv7(), ...pair, ...terms }

  const redeemed = await (projectId
    ? redeemCode({ claim, session })
    : redeemAdminCode({ db, audit }, { claim, session }, client))
  if (redeemed) return toTokenResponse(db, { token, refreshToken, ...redeemed })

  const reused = await db.transaction(async (tx) => {
    const revoked = await revokeSessionOfCode(tx, claim)
    if (!revoked) return false
    await recordReuse(audit, tx, 'code_reused', revoked, client)
    return true
  })
  if (!reused && claim.challenge === null && (await codeAwaitsVerifier(db, claim))) {
    throw new ApiError('CHALLENGE_WITHOUT_VERIFIER', { reason: 'without_verifier', ...ofProject })
  }
  if (!reused && (await isCodeOfBlockedMember(db, claim)))
    throw new ApiError('MEMBER_BLOCKED', { reason: 'member_blocked', ...ofProject })
  throw new ApiError(redeemCheck.refusal, { reason: reused ? 'reused' : 'unknown', ...ofProject })
}

/** Redeems a code for an admin session, and writes the audit entry in the same transaction. */
const redeemAdminCode = (
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  redemption: Redemption,
  client: Client | undefined,
) =>
  db.transaction(async (tx) => {
    const redeemed = await redeemInTransaction(tx, redemption)
    if (redeemed) {
      await audit.record(tx, {
        actor: { id: redeemed.memberId, username: redeemed.username },
        actionType: 'auth',
        action: 'admin.login',
        target: { type: 'session', id: redemption.session.id },
        summary: `${redeemed.username} signed in to the console.`,
        ...(client && { client }),
      })
    }
    return redeemed
  })
