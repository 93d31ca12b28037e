import type { FastifyRequest } from 'fastify'
import { within } from '#platform/async'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { gather } from '#platform/db/gather'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { bearerToken, hintForToken, isSameOrigin } from '#platform/http/credentials'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { adminCookie, type Presented } from '../admin-cookies.ts'
import type { AdminCaller, MemberCaller } from '../callers.ts'
import { type BearerRow, readForBearer } from './live-store.ts'

/** An admin's role that neither the gateway nor REST has vouched for in so long is not believed (fails closed). */
const oldestVouchMs = 5 * 60 * 1000
/** As validate: the longest wait for the platform. */
const longestWaitMs = 2_000

type AuthDeps = Pick<Deps, 'db' | 'config' | 'settings' | 'refreshMember'>

export interface SessionAuthenticators {
  session: (request: FastifyRequest) => Promise<MemberCaller>
  admin: (request: FastifyRequest) => Promise<AdminCaller>
}

/** Authenticates by session token: any live session, or an admin session of a member who is System Admin now. */
export function createSessionAuthenticators(deps: AuthDeps): SessionAuthenticators {
  const read = gather(
    (digests: string[]) => readForBearer(deps.db, digests, deps.config.chatGuildId),
    deps.db.gathersAtOnce,
  )

  const authenticate = async (request: FastifyRequest) => {
    const credential = readSessionToken(request, deps.config.publicUrl)
    const row = await read(digestOf(credential.token))
    if (!row) throw new ApiError('INVALID_TOKEN', { reason: 'unknown' })
    return { row, credential }
  }
  return {
    session: async (request) => {
      const { row, credential } = await authenticate(request)
      return toCaller(row, credential)
    },
    admin: async (request) => {
      const { row, credential } = await authenticate(request)
      const reread = () => read(digestOf(credential.token))
      // Roles are live: an old row is read again before it decides who is an admin.
      const current = row.projectId === null ? await refreshed(deps, row, reread) : row
      if (!current) throw new ApiError('INVALID_TOKEN', { reason: 'membership_ended' })
      const caller = toCaller(current, credential)
      if (!isSystemAdmin(deps, current))
        throw new ApiError('NOT_SYSTEM_ADMIN', { reason: 'not_system_admin', bucket: caller.bucket })
      return { ...caller, id: current.memberId }
    },
  }
}

/** A member of the main server who holds the admin role, on an admin session. */
const isSystemAdmin = ({ config }: AuthDeps, { projectId, isMain, roleIds }: BearerRow) =>
  projectId === null &&
  isMain &&
  config.chatAdminRoleId !== undefined &&
  roleIds.includes(config.chatAdminRoleId)

async function refreshed(deps: AuthDeps, row: BearerRow, reread: () => Promise<BearerRow | undefined>) {
  const { permissionTtlMs } = deps.settings.current()
  if (row.isLive || (permissionTtlMs > 0 && row.ageMs <= Math.min(permissionTtlMs, oldestVouchMs))) return row
  const asked = deps.refreshMember(row.serverId, row.memberId)
  if ((await within(asked, longestWaitMs, 'unavailable')) === 'fresh') return reread()
  if (row.ageMs > oldestVouchMs) throw chatPlatformUnavailable()
  return row
}

const toCaller = (row: BearerRow, credential: SessionCredential): MemberCaller => ({
  sessionId: row.id,
  memberId: row.memberId,
  username: row.username,
  sessionProjectId: row.projectId,
  serverId: row.serverId,
  ...credential,
  bucket: `session:${row.id}`,
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
