import { type FieldsOf, fieldsOf, type memberLists } from '@rolecall/contract'
import { selectFields } from '#member/columns'
import type { Queryable } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { MemberFilters } from './pages-store.ts'

/** Selects the names of the roles of a membership `m`, highest first. */
const roleNames = sql`
  array(select r.name from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)
    order by r.position desc, r.id)`

/** Selects the same roles as JSON objects. */
const roles = sql`(
  select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name,
    'color', nullif(r.color, 0), 'position', r.position) order by r.position desc, r.id), '[]')
  from roles r where r.server_id = m.server_id and r.id = any(m.role_ids))`

/** Matches a server `v` whose roles are live: the gateway vouches for them now. */
const isLive = sql`coalesce(v.live_until > clock_now(), false)`

/** The `from` clause for the block of a member `u` that is in force now. */
const blockInForce = sql`
  from member_blocks b where b.member_id = u.id and (b.until is null or b.until > clock_now())`
const isBlocked = sql`exists (select ${blockInForce})`

/** Lists members with all of their servers, in the order of `ids`. */
export const listMembersById = (db: Queryable, ids: readonly string[]) =>
  db.query<Omit<memberLists.MemberListItem, 'serverCount'>>(sql`
    select u.id as "memberId", ${selectFields(fieldsOf('memberList'))},
      u.is_club_member as "isClubMember", ${isBlocked} as blocked, (
        select coalesce(json_agg(json_build_object('serverId', v.id, 'serverName', v.name,
          'isMainServer', v.is_main, 'roleNames', ${roleNames}, 'roles', ${roles}, 'joinedAt', iso(m.joined_at))
          order by v.is_main desc, v.name, v.id), '[]')
        from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null) as servers
    from unnest(${ids}::text[]) with ordinality as page (id, place) join members u on u.id = page.id
    order by page.place`)

/** Returns a member with all of their servers. Returns undefined for an unknown member. */
export const findMemberServers = (db: Queryable, memberId: string) =>
  db.maybeOne<memberLists.MemberServers>(sql`
    select u.id as "memberId", ${selectFields(fieldsOf('memberServers'))},
      u.is_club_member as "isClubMember", ${isBlocked} as blocked, (
        select json_build_object('reason', b.reason, 'since', iso(b.since), 'until', iso(b.until))
        ${blockInForce}) as block, (
        select m.nick from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null and m.nick is not null
        order by v.is_main desc, v.name, v.id limit 1) as "displayName", (
        select coalesce(json_agg(json_build_object('serverId', v.id, 'serverName', v.name,
          'serverIcon', v.icon, 'isMainServer', v.is_main, 'joinedAt', iso(m.joined_at), 'roles', ${roles},
          'areRolesLive', ${isLive}, 'rolesAsOf', iso(case when ${isLive} then v.live_as_of else m.synced_at end))
          order by v.is_main desc, v.name, v.id), '[]')
        from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null) as servers
    from members u where u.id = ${memberId}`)

/** Lists registered servers. Begins with those in which the member is or was a member. */
export const listServerIds = async (db: Queryable, memberId: string, limit: number): Promise<string[]> => {
  const rows = await db.query<{ id: string }>(sql`
    select v.id from servers v left join memberships m on m.server_id = v.id and m.member_id = ${memberId}
    where v.removed_at is null order by m.member_id is null, v.is_main desc, v.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** A membership, as a row of an export. */
export interface ExportRow extends FieldsOf<'memberExport'> {
  readonly memberId: string
  readonly isClubMember: boolean
  readonly serverId: string
  readonly serverName: string
  readonly isMainServer: boolean
  readonly roleNames: readonly string[]
  readonly joinedAt: string | null
}

/**
 * Lists the current memberships of members, in the order of `ids`. If the filters name servers, lists only the
 * memberships in these servers. `offset 0` makes the planner read the memberships of each member by key.
 */
export const listExportRows = (db: Queryable, filters: MemberFilters, ids: readonly string[]) =>
  db.query<ExportRow>(sql`
    select u.id as "memberId", ${selectFields(fieldsOf('memberExport'))},
      u.is_club_member as "isClubMember", m.server_id as "serverId", m.name as "serverName",
      m.is_main as "isMainServer", ${roleNames} as "roleNames", iso(m.joined_at) as "joinedAt"
    from unnest(${ids}::text[]) with ordinality as page (id, place) join members u on u.id = page.id
    cross join lateral (
      select m.*, v.name, v.is_main
      from memberships m join servers v on v.id = m.server_id and v.removed_at is null
      where m.member_id = u.id and m.left_at is null and ${narrowed(filters)}
      offset 0) m
    order by page.place, m.is_main desc, m.name, m.server_id`)

/** Builds the condition on the servers that the filters name. */
function narrowed({ filter, serverId = [] }: MemberFilters): Sql {
  const conditions: Sql[] = []
  if (filter === 'club') conditions.push(sql`v.is_main`)
  if (serverId.length > 0) conditions.push(sql`v.id = any(${serverId}::text[])`)
  return allOf(conditions)
}
