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

/** The same for reading many: most often no server was removed, and then none is compared. */
const manyMemberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition} and (
    not exists (select from servers v where v.removed_at is not null)
    or m.server_id not in (select v.id from servers v where v.removed_at is not null))`

const inServers = (ids: readonly string[]) =>
  ids.length === 1 ? sql`m.server_id = ${ids[0]}` : sql`m.server_id = any(${ids}::text[])`
const withRoles = (ids: readonly string[]) => sql`m.role_ids && ${ids}::text[]`

/** The same as `withRoles`, read from the index of names; whoever holds too many roles for it is looked up by key. */
const withIndexedRoles = (ids: readonly string[]) => sql`(
  m.indexed_role_ids && ${ids}::text[] or m.indexed_role_ids is null and (
    select o.role_ids && ${ids}::text[] from memberships o
    where o.server_id = m.server_id and o.member_id = m.member_id))`

/** Trigrams need three letters or digits in a row; without them their index would be read from end to end. */
const hasTrigrams = /[\p{L}\p{N}]{3}/u

function matches(text: Sql, search: string): Sql {
  if (!hasTrigrams.test(search)) return sql`position(lower(${search}) in ${text}) > 0`
  return sql`${text} like lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`
}

/** Which members the filters keep. The planner chooses whether it begins with them or with their memberships. */
function keptMembers({ filter, serverId = [], roleId = [], search = '' }: MemberFilters): Sql {
  const isAmong = (condition: Sql) => sql`u.id in (select m.member_id from ${memberships(condition)})`
  const conditions = [sql`u.is_current`]
  if (filter === 'club') conditions.push(sql`u.is_club_member`)
  if (search !== '') conditions.push(matches(sql`u.search_text`, search))
  // One membership may be in the server and another one with the role.
  if (serverId.length > 0) conditions.push(isAmong(inServers(serverId)))
  if (roleId.length > 0) conditions.push(isAmong(withRoles(roleId)))
  return sql`members u where ${allOf(conditions)}`
}

/**
 * The members whom a filter by server or role keeps, as memberships: with the role, or in the server where no role is
 * asked for. What else is asked for is nearly always true of the same membership; only of one of which it is not, the
 * member's others are looked at. Empty without such a filter.
 */
function keptMemberships(filters: MemberFilters, heldRoles: typeof withRoles): Sql | undefined {
  const { filter, serverId = [], roleId = [], search = '' } = filters
  if (serverId.length === 0 && roleId.length === 0) return
  const conditions = [roleId.length > 0 ? heldRoles(roleId) : inServers(serverId)]
  if (roleId.length > 0 && serverId.length > 0) {
    // What is compared with true has no index: without statistics the planner would read a server's for each member.
    conditions.push(sql`(${inServers(serverId)} or exists (
      select from memberships o where o.member_id = m.member_id and (
        o.left_at is null and o.server_id = any(${serverId}::text[])
        and o.server_id not in (select v.id from servers v where v.removed_at is not null)) is true))`)
  }
  if (filter === 'club') {
    conditions.push(sql`(m.server_id = (select v.id from servers v where v.is_main)
      or exists (select from members u where u.id = m.member_id and u.is_club_member))`)
  }
  if (search !== '') conditions.push(matches(sql`m.search_text`, search))
  return manyMemberships(allOf(conditions))
}

/**
 * A limit or offset whose value the planner does not see. It then supposes that few rows are read, and takes them
 * from an index in their order, where it would otherwise put all of them in order.
 */
const unplanned = (value: Sql): Sql => sql`(select ${value}::bigint)`

/**
 * Names and ids whom the filters keep, to be read from an index in their order: of members, or of memberships. A
 * member with two memberships that fit comes twice unless `distinct`. "POSIX" is the order of that index, the same as
 * everywhere else.
 */
function kept(filters: MemberFilters, distinct: boolean): Sql {
  const memberships = keptMemberships(filters, withIndexedRoles)
  if (!memberships) return sql`select u.search_text, u.id from ${keptMembers(filters)}`
  return sql`select ${distinct ? sql`distinct` : sql``} m.search_text, m.member_id collate "POSIX" as id from ${memberships}`
}

/**
 * How many members the filters keep, and whether each comes once: memberships of one server are of as many members,
 * and doubles are sorted out only where there are several servers among them.
 */
function counted(filters: MemberFilters, from: Sql | undefined): Sql {
  if (!from) return sql`select count(*) as total, true as once from ${keptMembers(filters)}`
  const { serverId = [], roleId = [] } = filters
  if (serverId.length === 1 && roleId.length === 0)
    return sql`select count(*) as total, true as once from ${from}`
  return sql`
    select coalesce(first = last, true) as once, case when first <> last then (
      select count(*) from (${kept(filters, true)} order by search_text, id limit ${unplanned(sql`null`)}) one)
      else found end as total
    from (select count(*) as found, min(m.server_id) as first, max(m.server_id) as last from ${from}) one`
}

/** Rows before a page from which on it is read along the index of names: up to there, looking up is as quick. */
const deepFrom = 2_000

/**
 * One page of ids in order of name, and how many there are, of one snapshot. The page is read along the index of
 * names where many fit, and from the memberships where few do; which of the two, the values decide.
 */
export function pageStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  if (offset >= deepFrom) return deepPageStatement(filters, offset, limit)
  // A search is quicker among members, who have an index of trigrams.
  const from = filters.search ? undefined : keptMemberships(filters, withRoles)
  return plannedAnew(sql`
    with counted as materialized (${counted(filters, from)})
    select total, array(
      select u.id from ${keptMembers(filters)}
      -- Beyond the end nothing needs to be put in order.
      and (select total from counted) > ${offset}
      order by u.search_text, u.id limit ${limit} offset ${offset}) as ids
    from counted`)
}

/** The same for a page far from the beginning: read from the nearer end of an index of names, nothing is sorted. */
function deepPageStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  const page = (distinct: boolean) => sql`
    case when total > ${2 * offset} then array(
      select id from (
        ${kept(filters, distinct)} order by search_text, id limit ${limit} offset ${unplanned(sql`${offset}`)}) page
      order by search_text, id)
    else array(
      select id from (
        ${kept(filters, distinct)} order by search_text desc, id desc
        limit (select least(${limit}, total - ${offset}) from counted)
        offset (select greatest(total - ${offset} - ${limit}, 0) from counted)) page
      order by search_text, id) end`
  return plannedAnew(sql`
    with counted as materialized (${counted(filters, keptMemberships(filters, withRoles))})
    select total, case when total <= ${offset} then '{}' when once then ${page(false)} else ${page(true)} end as ids
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
  sql`select id from (${kept(filters, true)}) kept order by search_text, id`

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
