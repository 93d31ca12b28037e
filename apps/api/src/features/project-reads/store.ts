import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/**
 * True when a project may use a scope on a server: by a mapping with READ, or as an internal project that no
 * mapping narrows, on the main server.
 */
export const hasScope = (db: Queryable, projectId: string, serverId: string, scope: string) =>
  db.maybeOne(sql`
    select from projects p join servers v on v.id = ${serverId} and v.removed_at is null
    left join server_access a on a.project_id = p.id and a.server_id = v.id
    where p.id = ${projectId} and case when a.project_id is null then p.is_internal and v.is_main
      else a.can_read and ${scope}::text = any(a.scopes) end`)

export interface MemberRow {
  readonly memberId: string
  /** Finished JSON: `"id":…` of the member, up to `isClubMember`. */
  readonly memberJson: string
  /** Finished JSON: `"displayName":…},"roles":[…]`. */
  readonly rolesJson: string
  readonly hasSession: boolean
  readonly roleIds: readonly string[]
  readonly joinedAt: Date | null
  readonly syncedAt: Date
}

/** `hasSession`: the member has a live session with the project that asks. */
const memberColumns = (projectId: string): Sql => sql`
  m.member_id as "memberId", u.profile_json || ',"isClubMember":' || u.is_club_member as "memberJson",
  coalesce(case when m.answer_roles_version = v.roles_version then m.answer_json end,
    membership_answer(m.server_id, m.nick, m.role_ids)) as "rolesJson",
  exists (
    select from sessions s
    where s.member_id = m.member_id and s.project_id = ${projectId} and s.revoked_at is null
      and s.expires_at > clock_now()) as "hasSession",
  m.role_ids as "roleIds", m.joined_at as "joinedAt", m.synced_at as "syncedAt"`

/** Current members after a cursor, in the order of their ids as numbers, which is that of length and text. */
export const pageOfMembers = (
  db: Queryable,
  q: { projectId: string; serverId: string; after: string; limit: number },
) =>
  db.query<MemberRow>(sql`
    select ${memberColumns(q.projectId)}
    from memberships m join members u on u.id = m.member_id join servers v on v.id = m.server_id
    where m.server_id = ${q.serverId} and m.left_at is null
      and (length(m.member_id), m.member_id) > (length(${q.after}::text), ${q.after}::text collate "C")
    order by length(m.member_id), m.member_id limit ${q.limit}`)

export interface MembershipRow extends MemberRow {
  readonly isCurrent: boolean
  readonly ageMs: number
  /** True while the gateway vouches for the mirror of this server. */
  readonly isLive: boolean
}

/** What the mirror knows of one member of a server, past ones included. */
export const findMembership = (db: Queryable, projectId: string, serverId: string, memberId: string) =>
  db.maybeOne<MembershipRow>(sql`
    select ${memberColumns(projectId)}, m.left_at is null as "isCurrent",
      (extract(epoch from clock_now() - m.synced_at) * 1000)::float8 as "ageMs",
      coalesce(v.live_until > clock_now(), false) as "isLive"
    from memberships m join members u on u.id = m.member_id join servers v on v.id = m.server_id
    where m.server_id = ${serverId} and m.member_id = ${memberId}`)
