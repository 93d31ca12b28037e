import type { Queryable, Tx } from '#platform/db/database'

/** A session that comes with a code: over with it, unless the code is redeemed. */
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

/** Why the protocol ended a session. */
export type SessionEnd = 'logout' | 'token_revoked' | 'code_reused' | 'refresh_token_reused'

/** Sessions of projects are kept elsewhere, with those that other logins made; `app.ts` passes this. */
export interface ClientSessions {
  /** 0 when the project may not use the server, or the member is not in it. */
  readonly open: (tx: Tx, session: OpenedSession) => Promise<number>
  /** False when the session is over. */
  readonly extend: (tx: Tx, sessionId: string, ttlSec: number) => Promise<boolean>
  /** Undefined when there was none to end. */
  readonly end: (
    db: Queryable,
    sessionId: string,
    reason: SessionEnd,
  ) => Promise<{ memberId: string; username: string } | undefined>
}
