import type { projectReads } from '@rolecall/contract'
import type { Role } from '#answers/change'
import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface MemberRow {
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly displayName: string | null
  readonly avatar: string | null
  readonly joinedAt: Date | null
  readonly roles: projectReads.ServerMember['roles']
}

/** What the mirror knows of someone, who may have left. */
export interface KnownMember extends MemberRow {
  readonly isCurrent: boolean
  readonly ageMs: number
  readonly isLive: boolean
}

const memberColumns = sql`m.member_id as "memberId", u.username, u.global_name as "globalName",
    m.nick as "displayName", u.avatar, m.joined_at as "joinedAt",
    (select coalesce(json_agg(json_build_object('roleId', r.id, 'roleName', r.name,
        'roleColor', nullif(r.color, 0), 'rolePosition', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)) as roles`

/** A page of members in the order of their ids, after a cursor. */
export const listMembers = (db: Queryable, serverId: string, after: string, limit: number) =>
  db.query<MemberRow>(sql`
    select ${memberColumns}
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and m.left_at is null and m.member_id > ${after}
    order by m.member_id limit ${limit}`)

/** Someone of whom the mirror knows, whether or not they are still a member. */
export const findMember = (db: Queryable, serverId: string, memberId: string) =>
  db.maybeOne<KnownMember>(sql`
    select ${memberColumns}, m.left_at is null as "isCurrent",
      (extract(epoch from clock_now() - m.synced_at) * 1000)::float8 as "ageMs",
      coalesce(v.live_until > clock_now(), false) as "isLive"
    from memberships m join members u on u.id = m.member_id join servers v on v.id = m.server_id
    where m.server_id = ${serverId} and m.member_id = ${memberId}`)

export const toServerMember = (row: MemberRow): projectReads.ServerMember => ({
  memberId: row.memberId,
  username: row.username,
  globalName: row.globalName,
  displayName: row.displayName,
  avatar: row.avatar,
  joinedAt: row.joinedAt?.toISOString() ?? null,
  roles: row.roles,
})

/** A server of the mirror, with some of its members. */
export interface MirroredServer {
  readonly isLive: boolean
  readonly liveAsOfMs: number | null
  readonly roles: readonly Role[]
  readonly members: readonly {
    readonly memberId: string
    readonly roleIds: readonly string[]
    readonly isCurrent: boolean
    readonly syncedAtMs: number
    readonly ageMs: number
  }[]
}

/** Of many members what the mirror knows, with the roles of their server once. */
export const findMirrored = (db: Queryable, serverId: string, memberIds: readonly string[]) =>
  db.maybeOne<MirroredServer>(sql`
    select coalesce(v.live_until > clock_now(), false) as "isLive",
      round(date_part('epoch', v.live_as_of) * 1000) as "liveAsOfMs",
      (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'color', r.color,
          'position', r.position) order by r.position desc, r.id), '[]')
        from roles r where r.server_id = v.id) as roles,
      (select coalesce(json_agg(json_build_object('memberId', m.member_id, 'roleIds', m.role_ids,
          'isCurrent', m.left_at is null, 'syncedAtMs', round(date_part('epoch', m.synced_at) * 1000),
          'ageMs', round(date_part('epoch', clock_now() - m.synced_at) * 1000))), '[]')
        from memberships m where m.server_id = v.id and m.member_id = any(${memberIds}::text[])) as members
    from servers v where v.id = ${serverId}`)

/** How far a reader of changes has come: it has all of the transactions before this one, and of it up to this member. */
export interface ChangePlace {
  readonly xid: string
  readonly memberId: string
}

/** Up to where changes can be told: whatever is under way, here or elsewhere, comes after it. */
export const readHorizon = (db: Queryable) =>
  db.maybeOne<{ horizon: string; end: string }>(sql`
    select pg_snapshot_xmin(s)::text as horizon, pg_snapshot_xmax(s)::text as "end" from pg_current_snapshot() s`)

export interface ChangedRow extends MemberRow {
  readonly xid: string
  readonly leftAt: Date | null
}

/** Memberships that changed after a place and before a transaction, in the order of their transactions. */
export const listChanged = (
  db: Queryable,
  serverId: string,
  { xid, memberId }: ChangePlace,
  horizon: string,
  limit: number,
) =>
  db.query<ChangedRow>(sql`
    select ${memberColumns}, m.changed_xid::text as xid, m.left_at as "leftAt"
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and (m.changed_xid, m.member_id) > (${xid}::xid8, ${memberId})
      and m.changed_xid < ${horizon}::xid8
    order by m.changed_xid, m.member_id limit ${limit}`)

/** All roles of a server, highest first, where one changed from a transaction on; else undefined. */
export const findChangedRoles = (db: Queryable, serverId: string, xid: string) =>
  db.maybeOne<{ roles: MemberRow['roles'] }>(sql`
    select (select coalesce(json_agg(json_build_object('roleId', r.id, 'roleName', r.name,
        'roleColor', nullif(r.color, 0), 'rolePosition', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = c.server_id) as roles
    from role_changes c where c.server_id = ${serverId} and c.xid >= ${xid}::xid8`)
