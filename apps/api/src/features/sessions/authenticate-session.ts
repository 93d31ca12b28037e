import type { EndpointDefinition } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { adminTerms, isFresh } from '#mirror/freshness'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { bearerToken, hintForToken, isSameOrigin } from '#platform/http/credentials'
import type { SessionCaller } from '#session-memory/callers-store'
import { liveSession, readSession, sessionCaller } from '#session-memory/live-session'
import type { SessionAt } from '#session-memory/session'
import { adminCookie, type Presented } from '../../callers/admin-cookies.ts'
import type { AdminCaller, MemberCaller } from '../../callers/callers.ts'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { kindFor } from './administrators.ts'

type AuthDeps = Pick<Deps, 'answers' | 'config' | 'db' | 'settings' | 'refreshMember'>

export interface SessionAuthenticators {
  session: (request: FastifyRequest) => Promise<MemberCaller>
  admin: (request: FastifyRequest, definition: EndpointDefinition) => Promise<AdminCaller>
}

/**
 * Returns true if an admitted caller would be admitted again now. Uses the mirrored roles, which are usually in memory,
 * so that frequent calls are cheap. With `isThorough`, also refreshes roles that are too old to decide, as each request
 * does.
 */
type StillAdmits = (
  caller: AdminCaller,
  definition: EndpointDefinition,
  isThorough: boolean,
) => Promise<boolean>

interface SessionAuthentication extends SessionAuthenticators {
  readonly stillAdmits: StillAdmits
}

/**
 * Authenticates by session token. Admits any live session to endpoints for members. Admits an admin session to an
 * endpoint of the administration if its member may call it now.
 */
export function createSessionAuthenticators(deps: AuthDeps): SessionAuthentication {
  const adminBy = async (credential: SessionCredential, definition: EndpointDefinition, params: unknown) => {
    const tokenDigest = digestOf(credential.token)
    const live = await liveSession(deps.answers, tokenDigest)
    if (!live) throw unknownToken()
    // Refreshes old roles before they decide whether the member is an admin.
    const current =
      live.session.projectId === null
        ? await refreshIfStale(deps, live, () => readSession(deps.answers, tokenDigest))
        : live.session
    if (!current)
      throw new ApiError('INVALID_TOKEN', { reason: 'membership_ended', memberId: live.session.memberId })
    const caller = toCaller(current, credential)
    const isOfMainServer = current.projectId === null && current.decidesAdmin
    const kind = isOfMainServer ? await kindFor(deps, current, definition, params) : undefined
    if (!kind) {
      const { memberId, bucket } = caller
      throw new ApiError('NOT_SYSTEM_ADMIN', { reason: 'not_system_admin', bucket, memberId })
    }
    return { ...caller, id: current.memberId, kind, roleIds: current.roleIds }
  }
  return {
    session: async (request) => {
      const credential = readSessionToken(request, deps.config.publicUrl)
      const caller = await sessionCaller(deps.answers, digestOf(credential.token))
      if (!caller) throw unknownToken()
      return toCaller(caller, credential)
    },
    admin: async (request, definition) =>
      adminBy(readSessionToken(request, deps.config.publicUrl), definition, request.params),
    stillAdmits: async ({ token, presented, kind }, definition, isThorough) => {
      if (!isThorough) {
        const live = await liveSession(deps.answers, digestOf(token))
        return (
          live?.session.decidesAdmin === true && (await kindFor(deps, live.session, definition, {})) === kind
        )
      }
      return adminBy({ token, presented }, definition, {}).then(
        (caller) => caller.kind === kind,
        (error: unknown) => {
          // An outage does not prove that a session is invalid.
          if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return false
          throw error
        },
      )
    },
  }
}

/** Returns the session with roles that are fresh enough for the administration. */
async function refreshIfStale(
  deps: AuthDeps,
  stored: SessionAt,
  reread: () => Promise<SessionAt | undefined>,
) {
  const terms = adminTerms(deps.settings.current().permissionTtlMs)
  if (isFresh(stored, terms)) return stored.session
  // Another request may have refreshed these from the platform since they were read.
  const read = await reread()
  if (!read) return undefined
  const { serverId, memberId } = read.session
  const refresh = () => deps.refreshMember(serverId, memberId)
  return (await freshestRoles({ known: read, terms, refresh, reread })).known?.session
}

const unknownToken = () => new ApiError('INVALID_TOKEN', { reason: 'unknown' })

const toCaller = (session: SessionCaller, credential: SessionCredential): MemberCaller => ({
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
 * Returns the Bearer token, or the token in the console's cookie. The cookie counts only if a page of this service
 * sends the request, because browsers also attach it to requests that other sites cause.
 *
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
