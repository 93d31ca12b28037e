import type { FastifyRequest } from 'fastify'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { bearerToken } from '#platform/http/credentials'
import { readBody } from '#platform/http/read-body'
import { type Client, clientOf } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { MemberCaller } from '../callers.ts'
import { findSpentPair, revokeSessionById, rotatePair } from './store.ts'

/** How long a used pair is taken for a sibling's late try rather than for theft. */
const graceSec = 30

type RefreshDeps = Pick<Deps, 'db' | 'config' | 'audit'>

/** Rotates the pair of a live session. Both old values are invalid once this has answered. */
export async function refreshSession(
  deps: RefreshDeps,
  caller: MemberCaller,
  refreshToken: string,
  client: Client,
) {
  const accessToken = mintToken('session')
  const next = mintToken('refresh')
  const { sessionTtlSec, adminSessionTtlSec } = deps.config
  const rotated = isWellFormed('refresh', refreshToken)
    ? await rotatePair(deps.db, {
        sessionId: caller.sessionId,
        tokenDigest: digestOf(caller.token),
        refreshDigest: digestOf(refreshToken),
        newTokenDigest: digestOf(accessToken),
        newRefreshDigest: digestOf(next),
        ttlSec: caller.sessionProjectId === null ? adminSessionTtlSec : sessionTtlSec,
      })
    : undefined
  if (rotated) return { accessToken, refreshToken: next, expiresAt: rotated.expiresAt.toISOString() }
  await refuseSpentPair(deps, caller.token, refreshToken, client)
  throw new ApiError('INVALID_REFRESH_TOKEN', { reason: 'mismatch' })
}

/**
 * Refuses a pair that was used before; returns when it was not. The loser of a race and a client that did
 * not hear the answer come back at once. Whoever comes later holds a copy: thief or robbed, nobody can
 * tell, so the session ends (RFC 9700 §4.14.2).
 * @throws REFRESH_TOKEN_SUPERSEDED, REFRESH_TOKEN_REUSED
 */
async function refuseSpentPair(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  token: string,
  refreshToken: string,
  client: Client,
): Promise<void> {
  if (!isWellFormed('refresh', refreshToken) || !isWellFormed('session', token)) return
  const pair = { tokenDigest: digestOf(token), refreshDigest: digestOf(refreshToken) }
  const spent = await findSpentPair(db, { ...pair, graceSec })
  if (!spent) return
  if (spent.isJustSuperseded) throw new ApiError('REFRESH_TOKEN_SUPERSEDED', { reason: 'superseded' })
  await db.transaction(async (tx) => {
    if ((await revokeSessionById(tx, spent.sessionId, 'refresh_token_reused')) === 0) return
    await audit.record(tx, {
      actionType: 'auth',
      action: 'session.reuse',
      severity: 'warning',
      target: { type: 'member', id: spent.memberId, name: spent.username },
      summary: `A used refresh token of ${spent.username} was presented again; the session was revoked.`,
      client,
    })
  })
  throw new ApiError('REFRESH_TOKEN_REUSED', { reason: 'reused' })
}

/** The same for a request whose session token is no longer good, as that of a used pair never is. */
export async function refuseUsedPair(deps: Pick<Deps, 'db' | 'audit'>, request: FastifyRequest) {
  const token = bearerToken(request.raw)
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  let body: { refreshToken?: unknown } | null
  try {
    body = readBody(type, encoding, request.body) as typeof body
  } catch {
    return
  }
  if (!token || typeof body?.refreshToken !== 'string') return
  await refuseSpentPair(deps, token, body.refreshToken, clientOf(request))
}
