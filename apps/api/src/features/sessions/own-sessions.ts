import { formats, type sessions } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Client } from '#platform/http/router'
import type { MemberCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { endEverySession } from './end-every-session.ts'
import {
  type EndedSession,
  endOwnSession,
  findProjectName,
  listLiveSessions,
  type SessionRow,
} from './own-sessions-store.ts'

/** The caller's own live sessions, newest first. */
export async function listSessions({ db }: Pick<Deps, 'db'>, { memberId, sessionProjectId }: MemberCaller) {
  const rows = await listLiveSessions(db, memberId)
  return { sessions: rows.map((row) => toListItem(row, sessionProjectId)) }
}

/**
 * Revokes one of the caller's sessions. Another member's is the same 404 as none. Whatever is not of the project
 * whose session asks is told in the audit log: a project can end what is not its own.
 */
export async function revokeSession(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  caller: MemberCaller,
  { sessionId, client }: { sessionId: string; client: Client },
) {
  if (!formats.uuid(sessionId)) throw new ApiError('SESSION_NOT_FOUND')
  await db.transaction(async (tx) => {
    const ended = await endOwnSession(tx, caller.memberId, sessionId)
    if (!ended) throw new ApiError('SESSION_NOT_FOUND')
    if (ended.kind === 'project' && ended.projectId === caller.sessionProjectId) return
    await audit.record(tx, {
      actor: { id: caller.memberId, username: caller.username },
      actionType: 'auth',
      action: 'session.revoke',
      target: { type: 'session', id: sessionId, name: ended.projectName },
      summary: `${caller.username} ended ${nameOfEnded(ended)} ${await byWhat(tx, caller)}.`,
      client,
    })
  })
}

/** Signs the caller out everywhere, and tells by which session. */
export async function revokeAllSessions(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  caller: MemberCaller,
  client: Client,
) {
  await db.transaction(async (tx) => {
    await endEverySession(tx, caller.memberId)
    await audit.record(tx, {
      actor: { id: caller.memberId, username: caller.username },
      actionType: 'auth',
      action: 'session.revoke_all',
      target: { type: 'member', id: caller.memberId, name: caller.username },
      summary: `${caller.username} ended all of their sessions ${await byWhat(tx, caller)}.`,
      client,
    })
  })
}

/** What was ended, in a sentence. */
export function nameOfEnded({ kind, projectName }: EndedSession): string {
  if (kind === 'sso') return 'single sign-on in a browser'
  return kind === 'admin' ? 'an admin session' : `a session of ${projectName}`
}

/** The project whose session asked, by name and by id: the session's member may never have meant it. */
const byWhat = async (tx: Tx, { sessionProjectId }: MemberCaller) =>
  sessionProjectId === null
    ? 'by an admin session'
    : `by a session of ${await findProjectName(tx, sessionProjectId)} (${sessionProjectId})`

/** A project is told where its own sessions are; of the others it sees that they are there. */
function toListItem(row: SessionRow, asking: string | null): sessions.SessionListItem {
  const isTold = asking === null || row.projectId === asking
  return {
    id: row.id,
    kind: row.kind,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    projectId: row.projectId,
    serverId: row.serverId,
    clientInfo: isTold ? { ipAddress: row.ip, userAgent: row.userAgent } : null,
  }
}
