import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export type SessionKind = 'project' | 'admin' | 'sso'

export interface SessionRow {
  readonly id: string
  readonly kind: SessionKind
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectId: string | null
  readonly serverId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
}

/** A member's live sessions and single sign-ons, newest first; more than anyone has. */
export const listLiveSessions = (db: Queryable, memberId: string) =>
  db.query<SessionRow>(sql`
    select id, case when project_id is null then 'admin' else 'project' end as kind,
      created_at as "createdAt", expires_at as "expiresAt", project_id as "projectId", server_id as "serverId",
      ip, user_agent as "userAgent"
    from live_sessions where member_id = ${memberId}
    union all
    select id, 'sso', created_at, expires_at, null, null, ip, user_agent
    from sso_sessions where member_id = ${memberId} and expires_at > clock_now()
    order by "createdAt" desc, id desc limit 1000`)

export interface EndedSession {
  readonly kind: SessionKind
  readonly projectId: string | null
  readonly projectName: string | null
}

/** Ends a live session or a single sign-on if it is this member's own; undefined when there is none to end. */
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

export const findProjectName = async (db: Queryable, projectId: string) =>
  (await db.maybeOne<{ name: string }>(sql`select name from projects where id = ${projectId}`))?.name

/** Ends a member's single sign-on in every browser. Waits for those that issue a code at this moment. */
export const deleteSsoOfMember = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from sso_sessions where member_id = ${memberId}`)

/** Voids all codes of a member that are not redeemed yet, and waits for those being redeemed right now. */
export const voidAllCodes = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update authorization_codes set used_at = clock_now() where member_id = ${memberId} and used_at is null`)

export const revokeEverySession = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'revoked'
    where member_id = ${memberId} and revoked_at is null and expires_at > clock_now()`)

export const findUsername = async (db: Queryable, memberId: string) =>
  (await db.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId}`))
    ?.username
