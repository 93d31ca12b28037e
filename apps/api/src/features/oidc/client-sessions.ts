import type { Queryable, Tx } from '#platform/db/database'
import type { Client } from '#platform/http/router'

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
    reason: 'logout' | 'token_revoked',
  ) => Promise<{ memberId: string; username: string } | undefined>
  /** Whoever presents a used code or refresh token shows that two hold it: the session ends, and that is recorded. */
  readonly endReused: (
    sessionId: string,
    reuse: 'code_reused' | 'refresh_token_reused',
    client: Client | undefined,
  ) => Promise<void>
}
