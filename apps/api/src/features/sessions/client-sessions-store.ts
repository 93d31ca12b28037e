import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { noteActivity } from './store.ts'

/**
 * A session that a client gets through OpenID Connect. The protocol library stores the client's own tokens elsewhere.
 */
export interface NewClientSession {
  readonly id: string
  readonly projectId: string
  readonly memberId: string
  readonly serverId: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly ip: string | null
  readonly userAgent: string | null
  /** Seconds until the session expires if the code is not redeemed: the lifetime of the code. */
  readonly ttlSec: number
  /** Seconds after which no refresh can extend the session. */
  readonly maxAgeSec: number
}

/**
 * Creates a session for a code that is issued now, if the project can read the server and the member is in it. Because
 * the session exists before the code is redeemed, every operation that ends sessions also voids the code. If the
 * code is not redeemed, the session expires with it. Returns the number of created sessions: 0 or 1.
 */
export const insertClientSession = (tx: Tx, s: NewClientSession) =>
  tx.execute(sql`
    insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
      ip, user_agent, expires_at, max_expires_at)
    select ${s.id}, p.id, m.member_id, m.server_id, m.generation, ${s.tokenDigest}, ${s.refreshDigest}, ${s.ip},
      ${s.userAgent}, clock_now() + ${s.ttlSec}::int * interval '1 second',
      clock_now() + ${s.maxAgeSec}::int * interval '1 second'
    from projects p join readable_servers r on r.project_id = p.id and r.server_id = ${s.serverId}
    join memberships m on m.server_id = r.server_id and m.member_id = ${s.memberId} and m.left_at is null
    where p.id = ${s.projectId} and p.deleted_at is null and p.deactivated_at is null`)

/**
 * Builds two steps (CTEs) of a statement. The statement must have a step `used` with the column `session_id`. The step
 * `extended` extends these sessions if they are live, and `active` records the activity of their members.
 */
export const extendSteps = (ttlSec: number): Sql => sql`
    extended as (
      update sessions s
      set expires_at = greatest(s.expires_at, least(clock_now() + ${ttlSec}::int * interval '1 second', s.max_expires_at))
      from used u where s.id = u.session_id and s.revoked_at is null and s.expires_at > clock_now()
      returning s.id, s.member_id),
    active as (${noteActivity(sql`extended`)})`

/** Extends a session when its code is redeemed. Returns false if the session is not live. */
export const extendClientSession = async (tx: Tx, sessionId: string, ttlSec: number): Promise<boolean> =>
  (await tx.maybeOne(sql`
    with used as (select ${sessionId}::uuid as session_id), ${extendSteps(ttlSec)}
    select from extended`)) !== undefined

/**
 * Ends the sessions of a member with one client, including sessions whose code is not redeemed yet. Returns the number
 * of ended sessions. If `clientId` is null, the client is the project itself. Otherwise it is the client with the
 * metadata document at that address.
 */
export const endClientSessionsOf = (
  tx: Tx,
  c: { projectId: string; memberId: string; clientId: string | null },
) =>
  tx.execute(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'revoked'
    where s.member_id = ${c.memberId} and s.project_id = ${c.projectId} and s.revoked_at is null
      and s.expires_at > clock_now() and exists (
        select from oidc_sessions o
        where o.session_id = s.id and o.client_id is not distinct from ${c.clientId}::text)`)

/** Why OpenID Connect ended a client's session. Events report it. */
type ClientSessionEnd = 'logout' | 'token_revoked' | 'code_reused' | 'refresh_token_reused'

/** Ends a live session. Returns its member, or undefined if the session was not live. */
export const endClientSession = (db: Queryable, sessionId: string, reason: ClientSessionEnd) =>
  db.maybeOne<{ memberId: string; username: string }>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = ${reason}
    from members u
    where s.id = ${sessionId} and u.id = s.member_id and s.revoked_at is null and s.expires_at > clock_now()
    returning s.member_id as "memberId", u.username`)
