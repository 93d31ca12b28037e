import { formats, type memberSessions } from '@rolecall/contract'
import { findUsername } from '#mirror/read-members'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { describeEnded } from './own-sessions.ts'
import { endOwnSession, listLiveSessions } from './own-sessions-store.ts'

/**
 * Lists the live sessions of a member, newest first, for a System Admin.
 *
 * @throws MEMBER_NOT_FOUND
 */
export async function listMemberSessions(
  { db }: Pick<Deps, 'db'>,
  memberId: string,
): Promise<{ sessions: memberSessions.MemberSession[] }> {
  if ((await findUsername(db, memberId)) === undefined) throw new ApiError('MEMBER_NOT_FOUND')
  const rows = await listLiveSessions(db, memberId)
  return {
    sessions: rows.map(({ ip, userAgent, createdAt, expiresAt, clientId: _, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      clientInfo: { ipAddress: ip, userAgent },
    })),
  }
}

/**
 * Ends one session of a member, for a System Admin. A session of another member returns the same 404 as a missing one.
 *
 * @throws SESSION_NOT_FOUND
 */
export async function revokeMemberSession(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: AdminBy,
  { id: memberId, sessionId }: { id: string; sessionId: string },
): Promise<void> {
  if (!formats.uuid(sessionId)) throw new ApiError('SESSION_NOT_FOUND')
  await db.transaction(async (tx) => {
    const username = await findUsername(tx, memberId)
    const ended = username === undefined ? undefined : await endOwnSession(tx, memberId, sessionId)
    if (!ended) throw new ApiError('SESSION_NOT_FOUND')
    await audit.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'session.revoke',
      target: { type: 'member', id: memberId, name: username ?? null },
      summary: `Ended ${describeEnded(ended)} for ${username}.`,
    })
  })
}
