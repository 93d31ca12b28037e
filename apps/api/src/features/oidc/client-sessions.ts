import type { Queryable, Tx } from '#platform/db/database'
import type { Client } from '#platform/http/router'
import type { ExtendSteps } from './redemptions-store.ts'

/** A session that comes with a code, and expires with it unless the code is redeemed. */
export interface OpenedSession {
  readonly id: string
  readonly projectId: string
  readonly memberId: string
  readonly serverId: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly ttlSec: number
  readonly maxAgeSec: number
}

/** The changes of clients' sessions. Another feature owns all sessions of projects; `app.ts` passes this. */
export interface ClientSessions {
  /** Returns 0 if the project may not use the server, or the member is not in it. */
  readonly open: (tx: Tx, session: OpenedSession) => Promise<number>
  readonly extendSteps: ExtendSteps
  /** Returns false if the session is over. */
  readonly extend: (tx: Tx, sessionId: string, ttlSec: number) => Promise<boolean>
  /** Returns undefined if there was no session to end. */
  readonly end: (
    db: Queryable,
    sessionId: string,
    reason: 'logout' | 'token_revoked',
  ) => Promise<{ memberId: string; username: string } | undefined>
  /** Ends a session and records that: a used code or refresh token was presented again, so two parties hold it. */
  readonly endReused: (
    sessionId: string,
    reuse: 'code_reused' | 'refresh_token_reused',
    client: Client | undefined,
  ) => Promise<void>
}
