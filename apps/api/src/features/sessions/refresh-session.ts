import type { FastifyRequest } from 'fastify'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { invalid, isAbsent } from '#platform/http/check-request'
import { readCookie } from '#platform/http/cookies'
import { readBody } from '#platform/http/read-body'
import { type Client, clientOf } from '#platform/http/router'
import { adminRefreshCookie, type Presented, respondWithPair } from '../../callers/admin-cookies.ts'
import type { MemberCaller } from '../../callers/callers.ts'
import { refreshGraceSec } from '../../checks/refresh-grace.ts'
import type { Deps } from '../../deps.ts'
import { readSessionToken } from './authenticate-session.ts'
import type { SessionChanges } from './gathered-changes.ts'
import { recordReuse } from './record-reuse.ts'
import { findSpentPair, revokeSessionById } from './store.ts'

type RefreshDeps = Pick<Deps, 'db' | 'config' | 'audit'>

/** The parts of a refresh request besides the session token. */
export interface RefreshRequest {
  readonly refreshToken: string | undefined
  readonly cookie: string | undefined
  readonly client: Client
}

/**
 * Replaces both tokens of a live session and extends its lifetime. The old tokens become invalid. The new pair is
 * returned where the old session token was sent: in the body, or in cookies for the console.
 *
 * @throws INVALID_REFRESH_TOKEN, REFRESH_TOKEN_SUPERSEDED, REFRESH_TOKEN_REUSED
 */
export async function refreshSession(
  deps: RefreshDeps & Pick<SessionChanges, 'rotate'>,
  caller: MemberCaller,
  request: RefreshRequest,
) {
  const refreshToken = readRefreshToken(caller.presented, request)
  if (refreshToken === undefined) {
    if (caller.presented === 'cookie') throw new ApiError('INVALID_REFRESH_TOKEN', { reason: 'missing' })
    throw invalid([{ path: '/refreshToken', message: 'is required', code: 'REQUIRED' }])
  }
  const pair = { token: mintToken('session'), refreshToken: mintToken('refresh') }
  const { sessionTtlSec, adminSessionTtlSec } = deps.config
  const expiresAt = isWellFormed('refresh', refreshToken)
    ? await deps.rotate({
        sessionId: caller.sessionId,
        tokenDigest: digestOf(caller.token),
        refreshDigest: digestOf(refreshToken),
        newTokenDigest: digestOf(pair.token),
        newRefreshDigest: digestOf(pair.refreshToken),
        ttlSec: caller.sessionProjectId === null ? adminSessionTtlSec : sessionTtlSec,
      })
    : undefined
  if (!expiresAt) {
    await rejectReusedPair(deps, caller.token, refreshToken, request.client)
    throw new ApiError('INVALID_REFRESH_TOKEN', { reason: 'mismatch' })
  }
  return respondWithPair(deps.config, caller.presented, pair, {
    inBody: { accessToken: pair.token, refreshToken: pair.refreshToken },
    rest: { expiresAt: expiresAt.toISOString() },
  })
}

/** Reads the refresh token from the body. If the session token came in a cookie, also accepts the refresh cookie. */
function readRefreshToken(presented: Presented, { refreshToken, cookie }: Omit<RefreshRequest, 'client'>) {
  if (presented === 'bearer') return refreshToken
  return refreshToken ?? readCookie(cookie, adminRefreshCookie)
}

/**
 * Throws if the pair was used before, and returns otherwise. Within the grace period, the request may be a retry, or
 * one of two concurrent requests. A later request suggests that two parties have the pair. The service cannot
 * distinguish a thief from the owner, so it ends the session (RFC 9700 §4.14.2).
 *
 * @throws REFRESH_TOKEN_SUPERSEDED, REFRESH_TOKEN_REUSED
 */
async function rejectReusedPair(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  token: string,
  refreshToken: string,
  client: Client,
): Promise<void> {
  if (!isWellFormed('refresh', refreshToken) || !isWellFormed('session', token)) return
  const pair = { tokenDigest: digestOf(token), refreshDigest: digestOf(refreshToken) }
  const spent = await findSpentPair(db, { ...pair, graceSec: refreshGraceSec })
  if (!spent) return
  if (spent.isJustSuperseded) throw new ApiError('REFRESH_TOKEN_SUPERSEDED', { reason: 'superseded' })
  await db.transaction(async (tx) => {
    if ((await revokeSessionById(tx, spent.sessionId, 'refresh_token_reused')) === 0) return
    await recordReuse(audit, tx, 'refresh_token_reused', spent, client)
  })
  throw new ApiError('REFRESH_TOKEN_REUSED', { reason: 'reused' })
}

/**
 * Checks for a reused pair after authentication has failed. A refresh makes the old session token unknown, so a request
 * with the old pair is rejected before it reaches `refreshSession`. Returns if the request does not have a used pair.
 *
 * @throws REFRESH_TOKEN_SUPERSEDED, REFRESH_TOKEN_REUSED
 */
export async function detectReuseAfterFailedAuth(
  deps: RefreshDeps,
  request: FastifyRequest,
  refusal: unknown,
) {
  // Pairs are looked up only for an unknown token.
  if (!(refusal instanceof ApiError) || refusal.details.reason !== 'unknown') return
  const { token, presented } = readSessionToken(request, deps.config.publicUrl)
  const { 'content-type': type, 'content-encoding': encoding, cookie } = request.headers
  let body: { refreshToken?: unknown } | null
  try {
    body = isAbsent(request) ? null : (readBody(type, encoding, request.body) as typeof body)
  } catch {
    // An unreadable body contains no refresh token. The caller gets the error of the authentication.
    return
  }
  const sent = typeof body?.refreshToken === 'string' ? body.refreshToken : undefined
  const refreshToken = readRefreshToken(presented, { refreshToken: sent, cookie })
  if (refreshToken) await rejectReusedPair(deps, token, refreshToken, clientOf(request))
}
