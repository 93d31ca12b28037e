import type { Queryable, Tx } from '#platform/db/database'
import type { Client } from '#platform/http/router'
import type { ExtendSteps } from './redemptions-store.ts'

/** A session that is created together with a code. If the code is not redeemed, the session expires with it. */
export interface OpenedSession {
  readonly id: string
  readonly projectId: string
  readonly memberId: string
  readonly serverId: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly ip: string | null
  readonly userAgent: string | null
  /** Seconds until the session expires if the code is not redeemed. */
  readonly ttlSec: number
  /** Seconds after which no refresh can extend the session. */
  readonly maxAgeSec: number
}

/** The changes to clients' sessions. The feature `sessions` implements them, and `app.ts` passes them. */
export interface ClientSessions {
  /** Creates a session. Returns 1, or 0 if the project may not use the server or the member is not in it. */
  readonly open: (tx: Tx, session: OpenedSession) => Promise<number>
  /** Builds the steps of a statement that extend sessions. */
  readonly extendSteps: ExtendSteps
  /** Extends a session. Returns false if it has ended. */
  readonly extend: (tx: Tx, sessionId: string, ttlSec: number) => Promise<boolean>
  /** Ends a session and returns its member. Returns undefined if it had ended already. */
  readonly end: (
    db: Queryable,
    sessionId: string,
    reason: 'logout' | 'token_revoked',
  ) => Promise<{ memberId: string; username: string } | undefined>
  /** Ends a session whose code or refresh token was presented twice, and writes the audit entry. */
  readonly endReused: (
    sessionId: string,
    reuse: 'code_reused' | 'refresh_token_reused',
    client: Client | undefined,
  ) => Promise<void>
}
