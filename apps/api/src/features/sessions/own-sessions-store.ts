import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A session of a project, an admin session, or a single sign-on, which is the sign-in of a browser at this service. */
export type SessionKind = 'project' | 'admin' | 'sso'

/** A session or single sign-on in a list of a member's sign-ins. */
export interface SessionRow {
  readonly id: string
  readonly kind: SessionKind
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectId: string | null
  readonly projectName: string | null
  /** The address of the client's metadata document; null if the client has none. */
  readonly clientId: string | null
  readonly serverId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Lists a member's live sessions and single sign-ons, newest first. At most 1,000, which is more than a member has. */
export const listLiveSessions = (db: Queryable, memberId: string) =>
  db.query<SessionRow>(sql`
    select s.id, case when s.project_id is null then 'admin' else 'project' end as kind,
      s.created_at as "createdAt", s.expires_at as "expiresAt", s.project_id as "projectId",
      p.name as "projectName", o.client_id as "clientId", s.server_id as "serverId", s.ip, s.user_agent as "userAgent"
    from live_sessions s left join projects p on p.id = s.project_id left join oidc_sessions o on o.session_id = s.id
    where s.member_id = ${memberId}
    union all
    select id, 'sso', created_at, expires_at, null, null, null, null, ip, user_agent
    from sso_sessions
    where member_id = ${memberId} and expires_at > clock_now() and not is_void_by_block(member_id, created_at)
    order by "createdAt" desc, id desc limit 1000`)

/**
 * Counts a member's live sessions: `sessions` that can be validated, because the project has a valid key or because it
 * is an admin session; `clientSessions` of OpenID Connect; and `notifiedSessions`, whose client receives a logout
 * token.
 */
export async function countLiveSessions(db: Queryable, memberId: string) {
  const none = { sessions: 0, clientSessions: 0, notifiedSessions: 0 }
  const row = await db.maybeOne<typeof none>(sql`
    select
      count(*) filter (where s.project_id is null
        or exists (select from working_keys k where k.project_id = s.project_id)) as sessions,
      count(o.session_id) as "clientSessions",
      count(o.session_id) filter (where c.backchannel_logout_uri is not null) as "notifiedSessions"
    from live_sessions s left join oidc_sessions o on o.session_id = s.id
      left join oidc_clients c on c.project_id = o.project_id and c.enabled
    where s.member_id = ${memberId}`)
  return row ?? none
}

/** The session that `endOwnSession` ended. The project is null unless `kind` is `project`. */
export interface EndedSession {
  readonly kind: SessionKind
  readonly projectId: string | null
  readonly projectName: string | null
}

/**
 * Ends a live session or a single sign-on if it belongs to this member. Otherwise returns undefined.
 */
export const endOwnSession = (tx: Tx, memberId: string, sessionId: string) =>
  tx.maybeOne<EndedSession>(sql`
    with revoked as (
      update sessions set revoked_at = clock_now(), revoked_reason = 'revoked'
      where id = ${sessionId} and member_id = ${memberId} and revoked_at is null and expires_at > clock_now()
      returning project_id),
    deleted as (
      delete from sso_sessions
      where id = ${sessionId} and member_id = ${memberId} and expires_at > clock_now() returning id)
    select case when r.project_id is null then 'admin' else 'project' end as kind, r.project_id as "projectId",
      p.name as "projectName"
    from revoked r left join projects p on p.id = r.project_id
    union all
    select 'sso', null, null from deleted`)

/** Returns the name of a project, also of a deleted one. */
export const findProjectName = async (db: Queryable, projectId: string) =>
  (await db.maybeOne<{ name: string }>(sql`select name from projects where id = ${projectId}`))?.name

/**
 * Locks the single sign-ons of a member, after the sign-ins that are using them have ended. The order prevents
 * deadlocks.
 */
export const lockSsoOfMember = (tx: Tx, memberId: string) =>
  tx.execute(sql`select from sso_sessions where member_id = ${memberId} order by id for update`)

/**
 * Ends a member's single sign-on in every browser. Locks them first, because the deletion alone would lock them in
 * another order than other sign-outs.
 */
export async function deleteSsoOfMember(tx: Tx, memberId: string): Promise<number> {
  await lockSsoOfMember(tx, memberId)
  return tx.execute(sql`delete from sso_sessions where member_id = ${memberId}`)
}

/**
 * Voids all unused codes of a member. Waits for a code that is redeemed at this moment, so that a later statement finds
 * its session.
 */
export const invalidateAllCodes = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update authorization_codes set used_at = clock_now() where member_id = ${memberId} and used_at is null`)

/** Revokes all live sessions of a member. Events report the reason. */
export const revokeSessionsOfMember = (
  tx: Tx,
  memberId: string,
  reason: 'revoked' | 'member_blocked' | 'member_erased',
) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where member_id = ${memberId} and revoked_at is null and expires_at > clock_now()`)

/**
 * Deletes the IP addresses and user agents of the oldest sessions that are at least `days` old, up to `limit` sessions.
 * Returns the number of sessions.
 */
export const deleteSessionAddresses = (db: Queryable, days: number, limit: number) =>
  db.execute(sql`
    update sessions set ip = null, user_agent = null where id in (
      select id from sessions
      where created_at < clock_now() - ${days}::int * interval '1 day' and (ip is not null or user_agent is not null)
      order by created_at limit ${limit})`)
