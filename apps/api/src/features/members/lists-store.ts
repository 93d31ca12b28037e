import type { memberLists } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { allOf, plannedAnew, type Sql, sql } from '#platform/db/sql'

export interface MemberFilters {
  readonly filter?: 'club' | 'all'
  readonly serverId?: readonly string[]
  readonly roleId?: readonly string[]
  readonly search?: string
}

/** Current memberships of registered servers that fulfil the condition. */
const memberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition}
    and m.server_id = any(array(select v.id from servers v where v.removed_at is null))`

const inServers = (ids: readonly string[]) => sql`m.server_id = any(${ids}::text[])`
const withRoles = (ids: readonly string[]) => sql`m.role_ids && ${ids}::text[]`

/** Trigrams need three letters or digits in a row; without them their index would be read from end to end. */
const hasTrigrams = /[\p{L}\p{N}]{3}/u

function matches(search: string): Sql {
  if (!hasTrigrams.test(search)) return sql`position(lower(${search}) in u.search_text) > 0`
  return sql`u.search_text like lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`
}

/**
 * How members are held against memberships. `joined` lets the planner choose whether it begins with members or with
 * memberships; `hashed` reads memberships once into a hash table and members along the index of names, whatever
 * statistics say. Where the table would not fit in memory, memberships are looked up one by one.
 */
type Way = 'joined' | 'hashed'

const isAmong = (condition: Sql, way: Way): Sql =>
  way === 'joined'
    ? sql`u.id in (select m.member_id from ${memberships(condition)})`
    : // What is compared with true is no join to the planner.
      sql`(exists (select from ${memberships(sql`m.member_id = u.id and ${condition}`)})) is true`

function conditionsOf({ filter, serverId = [], roleId = [], search = '' }: MemberFilters, way: Way): Sql {
  const conditions = [sql`u.is_current`]
  if (filter === 'club') conditions.push(sql`u.is_club_member`)
  if (search !== '') conditions.push(matches(search))
  for (const condition of membershipConditions(serverId, roleId)) conditions.push(isAmong(condition, way))
  return allOf(conditions)
}

/** One membership may be in the server and another one with the role. */
const membershipConditions = (serverId: readonly string[], roleId: readonly string[]) => [
  ...(serverId.length > 0 ? [inServers(serverId)] : []),
  ...(roleId.length > 0 ? [withRoles(roleId)] : []),
]

/**
 * How many members the filters keep. Where memberships alone decide, members need not be looked at: whoever has a
 * current one is a current member.
 */
function countStatement(filters: MemberFilters): Sql {
  const { filter, serverId = [], roleId = [], search = '' } = filters
  const [condition, another] = membershipConditions(serverId, roleId)
  if (!condition || another || filter === 'club' || search !== '') {
    return sql`select count(*) as total from members u where ${conditionsOf(filters, 'joined')}`
  }
  // A member is in one server once.
  if (serverId.length === 1) return sql`select count(*) as total from ${memberships(condition)}`
  const distinct = sql`(select count(distinct m.member_id) from ${memberships(condition)})`
  return sql`
    select case when first = last then found else ${distinct} end as total from (
      select count(*) as found, min(m.server_id) as first, max(m.server_id) as last
      from ${memberships(condition)}) one`
}

/** Rows before a page from which on it is read along the index of names: up to there, looking up is as quick. */
const deepFrom = 2_000

/**
 * One page of ids in order of name, and how many there are, of one snapshot. The page is read along the index of
 * names where many fit, and from the memberships where few do; which of the two, the values decide.
 */
export function pageStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  if (offset >= deepFrom) return deepPageStatement(filters, offset, limit)
  return plannedAnew(sql`
    with counted as materialized (${countStatement(filters)})
    select total, array(
      select u.id from members u
      -- Beyond the end nothing needs to be put in order.
      where (select total from counted) > ${offset} and ${conditionsOf(filters, 'joined')}
      order by u.search_text, u.id limit ${limit} offset ${offset}) as ids
    from counted`)
}

/** The same for a page far from the beginning: read from the nearer end of the index of names, nothing is sorted. */
function deepPageStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  const kept = sql`from members u where ${conditionsOf(filters, 'hashed')}`
  return plannedAnew(sql`
    with counted as materialized (${countStatement(filters)})
    select total, case
      when total <= ${offset} then '{}'
      when total > ${2 * offset} then array(
        select u.id ${kept} order by u.search_text, u.id limit ${limit} offset ${offset})
      else array(
        select id from (
          select u.search_text, u.id ${kept}
          order by u.search_text desc, u.id desc
          limit (select least(${limit}, total - ${offset}) from counted)
          offset (select greatest(total - ${offset} - ${limit}, 0) from counted)) page
        order by search_text, id)
      end as ids
    from counted`)
}

export const findPage = (db: Queryable, filters: MemberFilters, offset: number, limit: number) =>
  db.maybeOne<{ total: number; ids: string[] }>(pageStatement(filters, offset, limit))

/** Names of the roles that membership `m` holds, highest first. */
const roleNames = sql`
  array(select r.name from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)
    order by r.position desc, r.id)`

/** Members with all their servers, in the order of the ids. */
export const listMembersById = (db: Queryable, ids: readonly string[]) =>
  db.query<Omit<memberLists.MemberListItem, 'serverCount'>>(sql`
    select u.id as "memberId", u.username, u.global_name as "globalName", u.avatar,
      u.is_club_member as "isClubMember", (
        select coalesce(json_agg(json_build_object('serverId', v.id, 'serverName', v.name,
          'isMainServer', v.is_main, 'roleNames', ${roleNames}, 'joinedAt', iso(m.joined_at))
          order by v.is_main desc, v.name, v.id), '[]')
        from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null) as servers
    from unnest(${ids}::text[]) with ordinality as page (id, place) join members u on u.id = page.id
    order by page.place`)

/** A member and their servers; undefined when this service never heard of them. */
export const findMemberServers = (db: Queryable, memberId: string) =>
  db.maybeOne<memberLists.MemberServers>(sql`
    select u.id as "memberId", u.username, u.global_name as "globalName", u.avatar,
      u.is_club_member as "isClubMember", (
        select m.nick from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null and m.nick is not null
        order by v.is_main desc, v.name, v.id limit 1) as "displayName", (
        select coalesce(json_agg(json_build_object('serverId', v.id, 'serverName', v.name,
          'serverIcon', v.icon, 'isMainServer', v.is_main, 'joinedAt', iso(m.joined_at), 'roles', (
            select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name,
              'color', nullif(r.color, 0), 'position', r.position) order by r.position desc, r.id), '[]')
            from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)))
          order by v.is_main desc, v.name, v.id), '[]')
        from memberships m join servers v on v.id = m.server_id and v.removed_at is null
        where m.member_id = u.id and m.left_at is null) as servers
    from members u where u.id = ${memberId}`)

/** Registered servers, those first where a member is or was. */
export const listServerIds = async (db: Queryable, memberId: string, limit: number): Promise<string[]> => {
  const rows = await db.query<{ id: string }>(sql`
    select v.id from servers v left join memberships m on m.server_id = v.id and m.member_id = ${memberId}
    where v.removed_at is null order by m.member_id is null, v.is_main desc, v.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export interface ExportRow {
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly displayName: string | null
  readonly isClubMember: boolean
  readonly serverId: string
  readonly serverName: string
  readonly isMainServer: boolean
  readonly roleNames: readonly string[]
  readonly joinedAt: string | null
}

/** The members whom the filters keep, in the order of the list: the first of them come at once. */
export const exportedIds = (filters: MemberFilters): Sql =>
  sql`select u.id from members u where ${conditionsOf(filters, 'hashed')} order by u.search_text, u.id`

/**
 * The current memberships of these members, narrowed to the servers that the filters name, in the order of the ids.
 * `offset 0` has each member's looked up by key, whatever statistics say.
 */
export const listExportRows = (db: Queryable, filters: MemberFilters, ids: readonly string[]) =>
  db.query<ExportRow>(sql`
    select u.id as "memberId", u.username, u.global_name as "globalName", m.nick as "displayName",
      u.is_club_member as "isClubMember", m.server_id as "serverId", m.name as "serverName",
      m.is_main as "isMainServer", ${roleNames} as "roleNames", iso(m.joined_at) as "joinedAt"
    from unnest(${ids}::text[]) with ordinality as page (id, place) join members u on u.id = page.id
    cross join lateral (
      select m.*, v.name, v.is_main
      from memberships m join servers v on v.id = m.server_id and v.removed_at is null
      where m.member_id = u.id and m.left_at is null and ${narrowed(filters)}
      offset 0) m
    order by page.place, m.is_main desc, m.name, m.server_id`)

function narrowed({ filter, serverId = [] }: MemberFilters): Sql {
  const conditions: Sql[] = []
  if (filter === 'club') conditions.push(sql`v.is_main`)
  if (serverId.length > 0) conditions.push(sql`v.id = any(${serverId}::text[])`)
  return allOf(conditions)
}
