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

/** Lists the caller's own live sessions, newest first. */
export async function listSessions({ db }: Pick<Deps, 'db'>, { memberId, sessionProjectId }: MemberCaller) {
  const rows = await listLiveSessions(db, memberId)
  return { sessions: rows.map((row) => toListItem(row, sessionProjectId)) }
}

/**
 * Ends one of the caller's sessions. A session of another member returns the same 404 as a missing one.
 *
 * The audit log records the end unless the session belongs to the caller's own project. With a member's token, a
 * project can also end that member's sessions with other projects, and the entry shows which project it was.
 *
 * @throws SESSION_NOT_FOUND
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
      summary: `${caller.username} ended ${describeEnded(ended)} ${await describeCaller(tx, caller)}.`,
      client,
    })
  })
}

/** Signs the caller out everywhere. The audit entry names the project of the calling session. */
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
      summary: `${caller.username} ended all of their sessions ${await describeCaller(tx, caller)}.`,
      client,
    })
  })
}

/** Describes the ended session, as the object of a sentence. */
export function describeEnded({ kind, projectName }: Omit<EndedSession, 'projectId'>): string {
  if (kind === 'sso') return 'single sign-on in a browser'
  return kind === 'admin' ? 'an admin session' : `a session of ${projectName}`
}

/**
 * Describes the calling session by the name and ID of its project, because the project may have sent the request
 * without the member's intent.
 */
const describeCaller = async (tx: Tx, { sessionProjectId }: MemberCaller) =>
  sessionProjectId === null
    ? 'by an admin session'
    : `by a session of ${await findProjectName(tx, sessionProjectId)} (${sessionProjectId})`

/** Converts a row for the response. A project sees the IP address and browser only for its own sessions. */
function toListItem(row: SessionRow, viewerProjectId: string | null): sessions.SessionListItem {
  const showsClient = viewerProjectId === null || row.projectId === viewerProjectId
  return {
    id: row.id,
    kind: row.kind,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    projectId: row.projectId,
    serverId: row.serverId,
    clientInfo: showsClient ? { ipAddress: row.ip, userAgent: row.userAgent } : null,
  }
}
