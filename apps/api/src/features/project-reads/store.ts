import { fieldsOf, type projectReads } from '@rolecall/contract'
import { selectFields } from '#member/columns'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { MemberOfServer } from '#responses/server-member'
import type { Seen } from './change-cursor.ts'

/** A row of a list of members. */
type MemberRow = MemberOfServer & { readonly roles: projectReads.ServerMember['roles'] }

const memberColumns = sql`m.member_id as "memberId", ${selectFields(fieldsOf('serverMember'))}, m.joined_at as "joinedAt",
    (select coalesce(json_agg(json_build_object('roleId', r.id, 'roleName', r.name,
        'roleColor', nullif(r.color, 0), 'rolePosition', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)) as roles`

/** Lists a page of the members of a server in the order of their IDs, after the ID `after`. */
export const listMembers = (db: Queryable, serverId: string, after: string, limit: number) =>
  db.query<MemberRow>(sql`
    select ${memberColumns}
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and m.left_at is null and m.member_id > ${after}
    order by m.member_id limit ${limit}`)

const arrayOf = (xids: readonly bigint[]) => `{${xids.join(',')}}`

/**
 * Returns the transactions that are visible now, as a `pg_snapshot`, and the number of deleted memberships of the
 * server.
 */
export const readPresent = (db: Queryable, serverId: string) =>
  db.maybeOne<{ snapshot: string; deletions: number }>(sql`
    select pg_current_snapshot()::text as snapshot,
      coalesce((select f.deletions from member_feeds f where f.server_id = ${serverId}), 0) as deletions`)

/** A member or former member, with the transaction of the last change. */
export interface ChangedRow extends MemberRow {
  readonly xid: string
  /** Null if the person is still a member. */
  readonly leftAt: Date | null
}

/** The range of changes to list, and the last change of the previous page. */
interface ChangesWanted {
  readonly seen: Seen
  readonly until: Seen
  readonly after: { readonly xid: string; readonly memberId: string }
  readonly limit: number
}

/**
 * Lists the memberships that were last changed by a transaction that the reader has not seen (`seen`) and that is
 * visible at `until`, in the order of transactions. The transactions that were in progress at the last read are looked
 * up one by one: a scan from the oldest of them might cover many changes that the reader has seen.
 */
export function listChanged(db: Queryable, serverId: string, { seen, until, after, limit }: ChangesWanted) {
  const page = (isUnseen: Sql) => sql`(
      select c.server_id, c.member_id, c.changed_xid from memberships c
      where c.server_id = ${serverId} and ${isUnseen}
        and c.changed_xid < ${String(until.end)}::xid8 and c.changed_xid <> all (${arrayOf(until.running)}::xid8[])
        and (c.changed_xid, c.member_id) > (${after.xid}::xid8, ${after.memberId})
      order by c.changed_xid, c.member_id limit ${limit})`
  return db.query<ChangedRow>(sql`
    select ${memberColumns}, m.changed_xid::text as xid, m.left_at as "leftAt"
    from (${page(sql`c.changed_xid = any (${arrayOf(seen.running)}::xid8[])`)}
      union all ${page(sql`c.changed_xid >= ${String(seen.end)}::xid8`)}) changed
      join memberships m using (server_id, member_id, changed_xid) join members u on u.id = m.member_id
    order by m.changed_xid, m.member_id limit ${limit}`)
}

/**
 * Returns all roles of a server, highest first, if a transaction that the reader has not seen changed one of them.
 * Otherwise returns undefined.
 */
export const findChangedRoles = (db: Queryable, serverId: string, { end, running }: Seen) =>
  db.maybeOne<{ roles: MemberRow['roles'] }>(sql`
    select (select coalesce(json_agg(json_build_object('roleId', r.id, 'roleName', r.name,
        'roleColor', nullif(r.color, 0), 'rolePosition', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = c.server_id) as roles
    from role_changes c
    where c.server_id = ${serverId} and (c.xid >= ${String(end)}::xid8 or c.xid = any (${arrayOf(running)}::xid8[]))`)

/**
 * Invalidates all cursors after the database was restored, by counting a deletion in each server. The restored database
 * may lack changes that readers have seen.
 */
export const endAllCursors = (db: Queryable) =>
  db.execute(sql`
    insert into member_feeds (server_id, deletions) select id, 1 from servers
    on conflict (server_id) do update set deletions = member_feeds.deletions + 1`)
