import type { Tx } from '#platform/db/database'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { endClientSession } from './client-sessions-store.ts'

/** The kind of a single-use credential that was presented again. */
export type Reuse = 'code_reused' | 'refresh_token_reused'

/** The action and the summary of the audit entry for each kind. */
const entries: Record<Reuse, { action: string; sentence: (who: string) => string }> = {
  code_reused: {
    action: 'code.reuse',
    sentence: (who) =>
      `A one-time code of ${who} was presented twice. The session that it created was revoked.`,
  },
  refresh_token_reused: {
    action: 'session.reuse',
    sentence: (who) => `A used refresh token of ${who} was presented again. The session was revoked.`,
  },
}

/**
 * Writes the audit entry for a session that ended because a single-use credential was presented twice. Call it in the
 * transaction that ended the session.
 */
export const recordReuse = (
  audit: Deps['audit'],
  tx: Tx,
  reuse: Reuse,
  { memberId, username }: { readonly memberId: string; readonly username: string },
  client: Client | undefined,
): Promise<void> =>
  audit.record(tx, {
    actionType: 'auth',
    action: entries[reuse].action,
    severity: 'warning',
    target: { type: 'member', id: memberId, name: username },
    summary: entries[reuse].sentence(username),
    ...(client && { client }),
  })

/**
 * Ends a session of an OpenID Connect client after one of its credentials was presented again (RFC 9700 §4.14.2). Does
 * nothing if the session is no longer live.
 */
export const endReusedClientSession = (
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  sessionId: string,
  reuse: Reuse,
  client: Client | undefined,
): Promise<void> =>
  db.transaction(async (tx) => {
    const ended = await endClientSession(tx, sessionId, reuse)
    if (ended) await recordReuse(audit, tx, reuse, ended, client)
  })
