import { formats, type sessions } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import type { MemberCaller } from '../callers.ts'
import { listLiveSessions, revokeOwnSession, type SessionRow } from './store.ts'

/** The caller's own live sessions, newest first. */
export async function listSessions({ db }: Pick<Deps, 'db'>, { memberId }: MemberCaller) {
  return { sessions: (await listLiveSessions(db, memberId)).map(toListItem) }
}

/** Revokes one of the caller's sessions. Another member's is the same 404 as none. */
export async function revokeSession({ db }: Pick<Deps, 'db'>, { memberId }: MemberCaller, sessionId: string) {
  const revoked = formats.uuid(sessionId) ? await revokeOwnSession(db, memberId, sessionId) : 0
  if (revoked === 0) throw new ApiError('SESSION_NOT_FOUND')
}

const toListItem = (row: SessionRow): sessions.SessionListItem => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  projectId: row.projectId,
  serverId: row.serverId,
  clientInfo: { ipAddress: row.ip, userAgent: row.userAgent },
})
