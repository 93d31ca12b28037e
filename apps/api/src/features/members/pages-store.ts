import type { Queryable } from '#platform/db/database'
import { allOf, replanned, type Sql, sql } from '#platform/db/sql'

export interface MemberFilters {
  readonly filter?: 'club' | 'all'
  readonly serverId?: readonly string[]
  readonly roleId?: readonly string[]
  readonly search?: string
}

/** Current memberships in registered servers that meet the condition. */
const memberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition}
    and m.server_id = any(array(select v.id from servers v where v.removed_at is null))`

/** The same for reading many rows: usually no server was removed, and then nothing is compared. */
const manyMemberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition} and (
    not exists (select from servers v where v.removed_at is not null)
    or m.server_id not in (select v.id from servers v where v.removed_at is not null))`

const inServers = (ids: readonly string[]) =>
  ids.length === 1 ? sql`m.server_id = ${ids[0]}` : sql`m.server_id = any(${ids}::text[])`

/** Conditions on a membership. Some sources do not contain the member's other servers. */
interface Said {
  readonly hasRole: (ids: readonly string[]) => Sql
  readonly isAlsoIn: (serverIds: readonly string[]) => Sql
  readonly isAlsoClub: Sql
}

/** Conditions on the columns of the row. */
const inRow: Said = {
  hasRole: (ids) => sql`m.role_ids && ${ids}::text[]`,
  isAlsoIn: (serverIds) => sql`m.other_server_ids && array(
    select v.id from servers v where v.removed_at is null and v.id = any(${serverIds}::text[]))`,
  isAlsoClub: sql`(select v.id from servers v where v.is_main) = any(m.other_server_ids)`,
}

/**
 * Conditions on the columns of the name index. A member with too many roles for the index is read by key, and so is a
 * member who may be in several servers. For a `few` members, `offset 0` makes these reads one by one; otherwise the
 * planner may read all of them at once.
 */
const inIndex = (few: boolean): Said => {
  const oneByOne = few ? sql`offset 0` : sql``
  return {
    hasRole: (ids) => sql`(
      m.indexed_role_ids && ${ids}::text[] or m.indexed_role_ids is null and (
        select o.role_ids && ${ids}::text[] from memberships o
        where o.server_id = m.server_id and o.member_id = m.member_id))`,
    // A comparison with true uses no index: without statistics, the planner would read the whole index of a server for
    // each member.
    isAlsoIn: (serverIds) => sql`exists (
      select from memberships o where o.member_id = m.member_id and (
        o.left_at is null and o.server_id = any(${serverIds}::text[])
        and o.server_id not in (select v.id from servers v where v.removed_at is not null)) is true ${oneByOne})`,
    isAlsoClub: sql`exists (select from members u where u.id = m.member_id and u.is_club_member ${oneByOne})`,
  }
}

/** Trigrams need three consecutive letters or digits; without them, the whole trigram index would be read. */
const hasTrigrams = /[\p{L}\p{N}]{3}/u

function matches(text: Sql, search: string): Sql {
  if (!hasTrigrams.test(search)) return sql`position(lower(${search}) in ${text}) > 0`
  return sql`${text} like lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`
}

/**
 * Returns the members that match the filters. The planner chooses whether to start with them or with their memberships.
 */
function keptMembers({ filter, serverId = [], roleId = [], search = '' }: MemberFilters): Sql {
  const isAmong = (condition: Sql) => sql`u.id in (select m.member_id from ${memberships(condition)})`
  const conditions = [sql`u.is_current`]
  if (filter === 'club') conditions.push(sql`u.is_club_member`)
  if (search !== '') conditions.push(matches(sql`u.search_text`, search))
  // One membership may be in the server, and another one may hold the role.
  if (serverId.length > 0) conditions.push(isAmong(inServers(serverId)))
  if (roleId.length > 0) conditions.push(isAmong(inRow.hasRole(roleId)))
  return sql`members u where ${allOf(conditions)}`
}

/**
 * Returns the members that a filter by server or role matches, as memberships: those with the role, or those in the
 * server if there is no role filter. The other filters nearly always match the same membership. Only for a membership
 * that they do not match, the member's other servers are checked. Returns undefined without such a filter.
 */
function keptMemberships(filters: MemberFilters, { hasRole, isAlsoIn, isAlsoClub }: Said): Sql | undefined {
  const { filter, serverId = [], roleId = [], search = '' } = filters
  if (serverId.length === 0 && roleId.length === 0) return
  const conditions = [roleId.length > 0 ? hasRole(roleId) : inServers(serverId)]
  if (roleId.length > 0 && serverId.length > 0)
    conditions.push(sql`(${inServers(serverId)} or ${isAlsoIn(serverId)})`)
  if (filter === 'club')
    conditions.push(sql`(m.server_id = (select v.id from servers v where v.is_main) or ${isAlsoClub})`)
  if (search !== '') conditions.push(matches(sql`m.search_text`, search))
  return manyMemberships(allOf(conditions))
}

/**
 * Returns a limit or offset with a value that is hidden from the planner. The planner then assumes few rows and reads
 * them in order from an index, where it would otherwise sort all of them.
 */
const unplanned = (value: Sql): Sql => sql`(select ${value}::bigint)`

/**
 * Lists the names and IDs of matching members or memberships, to be read in order from an index (or from the rows). A
 * member with two matching memberships appears twice unless `distinct` is set. "POSIX" is the order of that index, and
 * gives the same order as everywhere else.
 */
function kept(filters: MemberFilters, distinct: boolean, said = inIndex(false)): Sql {
  const memberships = keptMemberships(filters, said)
  if (!memberships) return sql`select u.search_text, u.id from ${keptMembers(filters)}`
  return sql`select ${distinct ? sql`distinct` : sql``} m.search_text, m.member_id collate "POSIX" as id from ${memberships}`
}

/** Searches, and lists by several roles, cannot be summed from stored totals. */
const hasKeptTotal = ({ roleId = [], search = '' }: MemberFilters) => search === '' && roleId.length <= 1

/**
 * Sums the total from the stored totals of memberships, which are grouped by the servers of their members. A member in
 * several of the servers is counted in the first of them. A role belongs to one server, so each membership with it
 * belongs to another member. If two servers had a role of the same ID, the total would be null.
 */
function keptTotal({ filter, serverId = [], roleId: [role] = [] }: MemberFilters): Sql {
  const registered = sql`select v.id from servers v where v.removed_at is null`
  const asked = serverId.length === 0 ? registered : sql`${registered} and v.id = any(${serverId}::text[])`
  const main = sql`(select v.id from servers v where v.is_main)`
  const isClub =
    filter === 'club' ? sql`(t.server_id = ${main} or ${main} = any(t.other_server_ids))` : sql`true`
  if (role === undefined) {
    return sql`
      select coalesce(sum(t.total), 0)::bigint as total,
        coalesce(bool_and(not t.other_server_ids && asked.ids), true) as once
      from (select array(${asked}) as ids) asked
        join member_totals t on t.role_id = '' and t.server_id = any(asked.ids)
      where ${isClub}
        and not exists (select from unnest(t.other_server_ids) o (id) where o.id < t.server_id and o.id = any(asked.ids))`
  }
  return sql`
    select case when min(t.server_id) = max(t.server_id) then sum(t.total)::bigint
      when min(t.server_id) is null then 0 end as total, true as once
    from (select array(${asked}) as ids) asked
      join member_totals t on t.role_id = ${role} and (t.server_id = any(asked.ids) or t.other_server_ids && asked.ids)
    where ${isClub} and t.server_id in (${registered})`
}

/**
 * Counts the total. The memberships of one server belong to as many members, so duplicates are removed only if there
 * are several servers.
 */
function countedTotal(filters: MemberFilters, from: Sql | undefined): Sql {
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

/** The offset from which a page is read along the name index: below it, a lookup is as fast. */
const deepFrom = 2_000
/** The maximum size of a list that is read completely and sorted, instead of being filtered along the name index. */
const fewAtMost = 10_000

/**
 * Builds the statement that returns the total and one page of IDs in the order of names, from one snapshot.
 *
 * `known` is the sum of the stored totals. It only selects how the page is read: a short list of a server or role as a
 * whole, any other along the nearer end of the name index. The statement sums them again for its result.
 *
 * Without `known`, the statement counts. It reads a deep page along the name index, and a selective search in a server or
 * role from the memberships. For the others, PostgreSQL plans with the actual values.
 */
export function pageStatement(filters: MemberFilters, offset: number, limit: number, known?: number): Sql {
  if (known !== undefined) {
    const isShort = known <= fewAtMost && keptMemberships(filters, inRow) !== undefined
    if (isShort) return shortListStatement(filters, offset, limit)
    const isNear = Math.min(offset, known - offset) < deepFrom
    return deepPageStatement(filters, offset, limit, keptTotal(filters), inIndex(isNear))
  }
  if (offset >= deepFrom)
    return deepPageStatement(filters, offset, limit, countedTotal(filters, keptMemberships(filters, inRow)))
  const from = keptMemberships(filters, inRow)
  return from && isSelective(filters)
    ? searchStatement(from, offset, limit)
    : countedStatement(filters, offset, limit)
}

/** Counts a search on members, because the index of their order contains the text that is searched. */
function countedStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  const counted = countedTotal(filters, filters.search ? undefined : keptMemberships(filters, inRow))
  return replanned(sql`
    with counted as materialized (${counted})
    select total, array(
      select u.id from ${keptMembers(filters)}
      -- Beyond the end nothing needs to be put in order.
      and (select total from counted) > ${offset}
      order by u.search_text, u.id limit ${limit} offset ${offset}) as ids
    from counted`)
}

/** The maximum number of memberships that a search keeps. A broader one is counted, and read in the order of its index. */
const maxFound = 100_000

/** A search by one or two letters matches most members of a server, and no index has them. */
const isSelective = ({ roleId = [], search = '' }: MemberFilters) =>
  search !== '' && (roleId.length > 0 || hasTrigrams.test(search))

/**
 * Reads a page of a search among memberships: finds all of them once, in the index of roles and trigrams, and then counts
 * and sorts what was found. Returns no total if it finds more than `maxFound`. The memberships of one server belong to as
 * many members, so duplicates are removed only if there are several servers.
 */
const searchStatement = (from: Sql, offset: number, limit: number): Sql =>
  replanned(sql`
    with found as materialized (select m.search_text, m.member_id as id, m.server_id from ${from} limit ${maxFound + 1}),
    counted as materialized (
      select count(*) as total, coalesce(min(server_id) = max(server_id), true) as once from found)
    select case when total > ${maxFound} then null when once then total
        else (select count(distinct id) from found) end as total,
      case when total > ${maxFound} then '{}' when once then array(
        select id from found order by search_text, id limit ${limit} offset ${offset})
      else array(
        select id from (select distinct search_text, id from found) one
        order by search_text, id limit ${limit} offset ${offset}) end as ids
    from counted`)

/** Reads a page of a short list: reads all members from their memberships (forced by `offset 0`), and sorts them. */
const shortListStatement = (filters: MemberFilters, offset: number, limit: number): Sql =>
  replanned(sql`
    with counted as materialized (${keptTotal(filters)})
    select total, array(
      select id from (${kept(filters, true, inRow)} offset 0) short
      where (select total from counted) > ${offset}
      order by search_text, id limit ${limit} offset ${offset}) as ids
    from counted`)

/** Reads a page at any position from the nearer end of a name index, without sorting. */
function deepPageStatement(
  filters: MemberFilters,
  offset: number,
  limit: number,
  total: Sql,
  said = inIndex(false),
): Sql {
  const page = (distinct: boolean) => sql`
    case when total > ${2 * offset} then array(
      select id from (
        ${kept(filters, distinct, said)} order by search_text, id limit ${limit} offset ${unplanned(sql`${offset}`)}) page
      order by search_text, id)
    else array(
      select id from (
        ${kept(filters, distinct, said)} order by search_text desc, id desc
        limit (select least(${limit}, total - ${offset}) from counted)
        offset (select greatest(total - ${offset} - ${limit}, 0) from counted)) page
      order by search_text, id) end`
  return replanned(sql`
    with counted as materialized (${total})
    select total, case when total <= ${offset} then '{}' when once then ${page(false)} else ${page(true)} end as ids
    from counted`)
}

interface FoundPage {
  /** Null if it has to be counted by another statement. */
  readonly total: number | null
  readonly ids: string[]
}

export async function findPage(
  db: Queryable,
  filters: MemberFilters,
  offset: number,
  limit: number,
): Promise<{ total: number; ids: readonly string[] }> {
  const known = hasKeptTotal(filters)
    ? await db.maybeOne<Pick<FoundPage, 'total'>>(keptTotal(filters))
    : undefined
  if (known && known.total !== null) {
    const page = await db.maybeOne<FoundPage>(pageStatement(filters, offset, limit, known.total))
    if (page && page.total !== null) return { ...page, total: page.total }
  }
  const page = (await db.maybeOne<FoundPage>(pageStatement(filters, offset, limit))) ?? { total: 0, ids: [] }
  if (page.total !== null) return { ...page, total: page.total }
  const { total, ids = [] } = (await db.maybeOne<FoundPage>(countedStatement(filters, offset, limit))) ?? {}
  return { total: total ?? 0, ids }
}

/** Lists the matching members in the order of the list; the first of them are returned at once. */
export const exportedIds = (filters: MemberFilters): Sql =>
  sql`select id from (${kept(filters, true)}) kept order by search_text, id`
