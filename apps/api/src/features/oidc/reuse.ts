import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { ClientSessions, SessionEnd } from './client-sessions.ts'

const told: Partial<Record<SessionEnd, { action: string; sentence: (who: string) => string }>> = {
  code_reused: {
    action: 'code.reuse',
    sentence: (who) =>
      `A one-time code of ${who} was presented twice; the session that it had made was revoked.`,
  },
  refresh_token_reused: {
    action: 'session.reuse',
    sentence: (who) => `A used refresh token of ${who} was presented again; the session was revoked.`,
  },
}

/** Whoever presents a used code or refresh token shows that two hold it: the session ends, and that is told. */
export async function endReused(
  { db, audit, sessions }: Pick<Deps, 'db' | 'audit'> & { sessions: ClientSessions },
  sessionId: string,
  reason: 'code_reused' | 'refresh_token_reused',
  client: Client | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await sessions.end(tx, sessionId, reason)
    const tell = told[reason]
    if (!ended || !tell) return
    await audit.record(tx, {
      actionType: 'auth',
      action: tell.action,
      severity: 'warning',
      target: { type: 'member', id: ended.memberId, name: ended.username },
      summary: tell.sentence(ended.username),
      ...(client && { client }),
    })
  })
}
