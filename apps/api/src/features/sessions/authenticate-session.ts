import type { FastifyRequest } from 'fastify'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { gather } from '#platform/db/gather'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { bearerToken, hintForToken, isSameOrigin } from '#platform/http/credentials'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { type AdminCaller, adminCookie, type MemberCaller } from '../callers.ts'
import { type BearerRow, readForBearer } from './live-store.ts'

const oldestMirrorMs = 24 * 60 * 60 * 1000

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
    const token = readToken(request, deps.config.publicUrl)
    const row = await read(digestOf(token))
    if (!row) throw new ApiError('INVALID_TOKEN', { reason: 'unknown' })
    return { row, token }
  }
  return {
    session: async (request) => {
      const { row, token } = await authenticate(request)
      return toCaller(row, token)
    },
    admin: async (request) => {
      const { row, token } = await authenticate(request)
      // Roles are live: an old row is read again before it decides who is an admin.
      const current = row.projectId === null ? await refreshed(deps, row, () => read(digestOf(token))) : row
      if (!current) throw new ApiError('INVALID_TOKEN', { reason: 'membership_ended' })
      const caller = toCaller(current, token)
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
  if (row.isLive || (permissionTtlMs > 0 && row.ageMs <= permissionTtlMs)) return row
  if ((await deps.refreshMember(row.serverId, row.memberId)) === 'fresh') return reread()
  if (row.ageMs > oldestMirrorMs) throw chatPlatformUnavailable()
  return row
}

const toCaller = (row: BearerRow, token: string): MemberCaller => ({
  sessionId: row.id,
  memberId: row.memberId,
  username: row.username,
  sessionProjectId: row.projectId,
  serverId: row.serverId,
  token,
  bucket: `session:${row.id}`,
})

/**
 * The Bearer token, or the console's cookie when a page of this service asks: a cookie travels with
 * requests that other sites cause, a header does not.
 */
function readToken({ raw, headers }: FastifyRequest, publicUrl: string): string {
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
  return token
}
