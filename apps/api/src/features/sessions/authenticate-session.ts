import type { FastifyRequest } from 'fastify'
import { type Session, type SessionAt, sessionAt } from '#answers/session'
import { adminTerms, freshest, isFresh } from '#mirror/freshness'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { bearerToken, hintForToken, isSameOrigin } from '#platform/http/credentials'
import type { Deps } from '../../deps.ts'
import { adminCookie, type Presented } from '../admin-cookies.ts'
import type { AdminCaller, MemberCaller } from '../callers.ts'

type AuthDeps = Pick<Deps, 'answers' | 'config' | 'settings' | 'refreshMember'>

export interface SessionAuthenticators {
  session: (request: FastifyRequest) => Promise<MemberCaller>
  admin: (request: FastifyRequest) => Promise<AdminCaller>
}

/** Authenticates by session token: any live session, or an admin session of a member who is System Admin now. */
export function createSessionAuthenticators(deps: AuthDeps): SessionAuthenticators {
  const { answers } = deps
  const read = async (tokenDigest: string): Promise<SessionAt | undefined> => {
    const { session, nowMs } = await answers.read({ keyDigest: '', tokenDigest })
    return session && sessionAt(session, nowMs)
  }
  const kept = (tokenDigest: string): SessionAt | undefined => {
    const nowMs = answers.goodAtMs()
    const session = nowMs === undefined ? undefined : answers.session(tokenDigest)
    return session && nowMs !== undefined && session.expiresAtMs > nowMs
      ? sessionAt(session, nowMs)
      : undefined
  }

  const authenticate = async (request: FastifyRequest) => {
    const credential = readSessionToken(request, deps.config.publicUrl)
    const tokenDigest = digestOf(credential.token)
    const live = kept(tokenDigest) ?? (await read(tokenDigest))
    if (!live) throw new ApiError('INVALID_TOKEN', { reason: 'unknown' })
    return { live, credential, tokenDigest }
  }
  return {
    session: async (request) => {
      const { live, credential } = await authenticate(request)
      return toCaller(live.session, credential)
    },
    admin: async (request) => {
      const { live, credential, tokenDigest } = await authenticate(request)
      // Roles are live: old ones are read again before they decide who is an admin.
      const current =
        live.session.projectId === null ? await refreshed(deps, live, () => read(tokenDigest)) : live.session
      if (!current) throw new ApiError('INVALID_TOKEN', { reason: 'membership_ended' })
      const caller = toCaller(current, credential)
      if (!isSystemAdmin(deps, current))
        throw new ApiError('NOT_SYSTEM_ADMIN', { reason: 'not_system_admin', bucket: caller.bucket })
      return { ...caller, id: current.memberId }
    },
  }
}

/** A member of the main server who holds the admin role, on an admin session. */
const isSystemAdmin = ({ config }: AuthDeps, { projectId, decidesAdmin, roleIds }: Session) =>
  projectId === null &&
  decidesAdmin &&
  config.chatAdminRoleId !== undefined &&
  roleIds.includes(config.chatAdminRoleId)

async function refreshed(deps: AuthDeps, kept: SessionAt, reread: () => Promise<SessionAt | undefined>) {
  const terms = adminTerms(deps.settings.current().permissionTtlMs)
  if (isFresh(kept, terms)) return kept.session
  // Somebody else may have asked the platform since these were read.
  const read = await reread()
  if (!read) return undefined
  const { serverId, memberId } = read.session
  const refresh = () => deps.refreshMember(serverId, memberId)
  return (await freshest({ known: read, terms, refresh, reread })).known?.session
}

const toCaller = (session: Session, credential: SessionCredential): MemberCaller => ({
  sessionId: session.id,
  memberId: session.memberId,
  username: session.username,
  sessionProjectId: session.projectId,
  serverId: session.serverId,
  ...credential,
  bucket: `session:${session.id}`,
})

export interface SessionCredential {
  readonly token: string
  readonly presented: Presented
}

/**
 * The Bearer token, or the console's cookie when a page of this service asks: a cookie travels with
 * requests that other sites cause, a header does not.
 * @throws INVALID_TOKEN, CROSS_SITE_REQUEST
 */
export function readSessionToken({ raw, headers }: FastifyRequest, publicUrl: string): SessionCredential {
  const cookie = headers.authorization === undefined ? readCookie(headers.cookie, adminCookie) : undefined
  const token = cookie ?? bearerToken(raw)
  if (!token) {
    throw new ApiError('INVALID_TOKEN', {
      ...hintForToken(raw),
      reason: headers.authorization === undefined ? 'missing' : 'malformed',
    })
  }
  if (!isWellFormed('session', token))
    throw new ApiError('INVALID_TOKEN', { ...hintForToken(raw), reason: 'malformed' })
  if (cookie && !isSameOrigin(raw, publicUrl))
    throw new ApiError('CROSS_SITE_REQUEST', { reason: 'cross_site' })
  return { token, presented: cookie ? 'cookie' : 'bearer' }
}
