import type { Queryable } from '#platform/db/database'
import { allOf, replanned, type Sql, sql } from '#platform/db/sql'

/** The filters of a list of members. A list of IDs matches members with at least one of them. */
export interface MemberFilters {
  readonly filter?: 'club' | 'all'
  readonly serverId?: readonly string[]
  readonly roleId?: readonly string[]
  readonly search?: string
}

/** Selects the current memberships in registered servers that meet the condition. */
const memberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition}
    and m.server_id = any(array(select v.id from servers v where v.removed_at is null))`

/**
 * Selects the same memberships, faster for many rows: if no server was removed, which is usual, no row has to be
 * compared with the list of servers.
 */
const manyMemberships = (condition: Sql): Sql => sql`
  memberships m where m.left_at is null and ${condition} and (
    not exists (select from servers v where v.removed_at is not null)
    or m.server_id not in (select v.id from servers v where v.removed_at is not null))`

const isInServers = (ids: readonly string[]) =>
  ids.length === 1 ? sql`m.server_id = ${ids[0]}` : sql`m.server_id = any(${ids}::text[])`

/**
 * Builds conditions on a membership `m`. There are two sets: for a read of its row, and for a read of the name index.
 */
interface MembershipConditions {
  readonly hasRole: (ids: readonly string[]) => Sql
  /** Builds the condition that the member is also in one of these servers. */
  readonly isAlsoIn: (serverIds: readonly string[]) => Sql
  readonly isAlsoClubMember: Sql
}

/** The conditions for a read of the row. */
const rowConditions: MembershipConditions = {
  hasRole: (ids) => sql`m.role_ids && ${ids}::text[]`,
  isAlsoIn: (serverIds) => sql`m.other_server_ids && array(
    select v.id from servers v where v.removed_at is null and v.id = any(${serverIds}::text[]))`,
  isAlsoClubMember: sql`(select v.id from servers v where v.is_main) = any(m.other_server_ids)`,
}

/**
 * The conditions for a read of the name index. The index does not contain the other servers of a member, nor the roles
 * of a member with very many, so these are looked up by key. If only a few members are read, `offset 0` forces one
 * lookup for each. Otherwise the planner may join all of them at once.
 */
const indexConditions = (areFew: boolean): MembershipConditions => {
  const oneByOne = areFew ? sql`offset 0` : sql``
  return {
    hasRole: (ids) => sql`(
      m.indexed_role_ids && ${ids}::text[] or m.indexed_role_ids is null and (
        select o.role_ids && ${ids}::text[] from memberships o
        where o.server_id = m.server_id and o.member_id = m.member_id))`,
    // `is true` keeps the planner from using an index for this comparison. Without statistics, it would read the whole
    // index of a server for each member.
    isAlsoIn: (serverIds) => sql`exists (
      select from memberships o where o.member_id = m.member_id and (
        o.left_at is null and o.server_id = any(${serverIds}::text[])
        and o.server_id not in (select v.id from servers v where v.removed_at is not null)) is true ${oneByOne})`,
    isAlsoClubMember: sql`exists (select from members u where u.id = m.member_id and u.is_club_member ${oneByOne})`,
  }
}

/** Matches three consecutive letters or digits. A search without them cannot use the trigram index. */
const hasTrigrams = /[\p{L}\p{N}]{3}/u

/** Builds the condition that a text contains the search, regardless of case. */
function matches(text: Sql, search: string): Sql {
  if (!hasTrigrams.test(search)) return sql`position(lower(${search}) in ${text}) > 0`
  return sql`${text} like lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`
}

/** Selects the members that match the filters. The planner decides whether to start with members or memberships. */
function matchingMembers({ filter, serverId = [], roleId = [], search = '' }: MemberFilters): Sql {
  const isAmong = (condition: Sql) => sql`u.id in (select m.member_id from ${memberships(condition)})`
  const conditions = [sql`u.is_current`]
  if (filter === 'club') conditions.push(sql`u.is_club_member`)
  if (search !== '') conditions.push(matches(sql`u.search_text`, search))
  // Two conditions, because one membership may be in the server, and another one may have the role.
  if (serverId.length > 0) conditions.push(isAmong(isInServers(serverId)))
  if (roleId.length > 0) conditions.push(isAmong(rowConditions.hasRole(roleId)))
  return sql`members u where ${allOf(conditions)}`
}

/**
 * Selects the members that match the filters, as memberships: those with the role or, without a filter by role, those
 * in the server. The other filters are checked on the same membership first, and then on the member's other servers.
 * Returns undefined if there is no filter by server or role.
 */
function matchingMemberships(
  filters: MemberFilters,
  { hasRole, isAlsoIn, isAlsoClubMember }: MembershipConditions,
): Sql | undefined {
  const { filter, serverId = [], roleId = [], search = '' } = filters
  if (serverId.length === 0 && roleId.length === 0) return
  const conditions = [roleId.length > 0 ? hasRole(roleId) : isInServers(serverId)]
  if (roleId.length > 0 && serverId.length > 0)
    conditions.push(sql`(${isInServers(serverId)} or ${isAlsoIn(serverId)})`)
  if (filter === 'club')
    conditions.push(sql`(m.server_id = (select v.id from servers v where v.is_main) or ${isAlsoClubMember})`)
  if (search !== '') conditions.push(matches(sql`m.search_text`, search))
  return manyMemberships(allOf(conditions))
}

/**
 * Hides the value of a limit or offset from the planner. The planner then expects few rows, and reads them in order
 * from an index. Otherwise it would sort all of them.
 */
const hiddenFromPlanner = (value: Sql): Sql => sql`(select ${value}::bigint)`

/**
 * Selects the names and IDs of matching members or memberships. Without `distinct`, a member with two matching
 * memberships appears twice. The name index has the collation "POSIX", which sorts like all other lists.
 */
function matchingNames(filters: MemberFilters, distinct: boolean, conditions = indexConditions(false)): Sql {
  const memberships = matchingMemberships(filters, conditions)
  if (!memberships) return sql`select u.search_text, u.id from ${matchingMembers(filters)}`
  return sql`select ${distinct ? sql`distinct` : sql``} m.search_text, m.member_id collate "POSIX" as id from ${memberships}`
}

/** Returns true if the total can be summed from stored totals: not for a search, and not for several roles. */
const hasStoredTotal = ({ roleId = [], search = '' }: MemberFilters) => search === '' && roleId.length <= 1

/**
 * Sums the total from `member_totals`, which counts memberships by role and by the member's other servers. Without a
 * role, a member in several of the requested servers is counted only in the first one. With a role, each member has
 * only one matching membership, because a role belongs to one server. If two servers had a role with the same ID,
 * `total` would be null, and the caller would have to count.
 *
 * `is_distinct` is true if no member has two matching memberships.
 */
function storedTotal({ filter, serverId = [], roleId: [role] = [] }: MemberFilters): Sql {
  const registered = sql`select v.id from servers v where v.removed_at is null`
  const requested =
    serverId.length === 0 ? registered : sql`${registered} and v.id = any(${serverId}::text[])`
  const main = sql`(select v.id from servers v where v.is_main)`
  const isClub =
    filter === 'club' ? sql`(t.server_id = ${main} or ${main} = any(t.other_server_ids))` : sql`true`
  if (role === undefined) {
    return sql`
      select coalesce(sum(t.total), 0)::bigint as total,
        coalesce(bool_and(not t.other_server_ids && requested.ids), true) as is_distinct
      from (select array(${requested}) as ids) requested
        join member_totals t on t.role_id = '' and t.server_id = any(requested.ids)
      where ${isClub}
        and not exists (select from unnest(t.other_server_ids) o (id) where o.id < t.server_id and o.id = any(requested.ids))`
  }
  return sql`
    select case when min(t.server_id) = max(t.server_id) then sum(t.total)::bigint
      when min(t.server_id) is null then 0 end as total, true as is_distinct
    from (select array(${requested}) as ids) requested
      join member_totals t on t.role_id = ${role} and (t.server_id = any(requested.ids) or t.other_server_ids && requested.ids)
    where ${isClub} and t.server_id in (${registered})`
}

/**
 * Counts the total, with `is_distinct` as in `storedTotal`. Duplicates have to be removed only if the memberships are
 * in several servers.
 */
function countedTotal(filters: MemberFilters, from: Sql | undefined): Sql {
  if (!from) return sql`select count(*) as total, true as is_distinct from ${matchingMembers(filters)}`
  const { serverId = [], roleId = [] } = filters
  if (serverId.length === 1 && roleId.length === 0)
    return sql`select count(*) as total, true as is_distinct from ${from}`
  return sql`
    select coalesce(first = last, true) as is_distinct, case when first <> last then (
      select count(*) from (${matchingNames(filters, true)} order by search_text, id limit ${hiddenFromPlanner(sql`null`)}) one)
      else found end as total
    from (select count(*) as found, min(m.server_id) as first, max(m.server_id) as last from ${from}) one`
}

/** The offset from which a page is read along the name index. Below it, other plans are just as fast. */
const minDeepOffset = 2_000
/** The maximum size of a list that is read completely and sorted. Longer ones are filtered along the name index. */
const maxShortList = 10_000

/**
 * Builds the statement that returns the total and one page of IDs, in the order of names and from one snapshot.
 *
 * `expected` is the sum of the stored totals, from an earlier statement. It only decides how the page is read: a short
 * list of a server or role completely, any other from the nearer end of the name index. The result has a new sum.
 *
 * Without `expected`, the statement counts. It reads a page with a large offset along the name index, and a selective
 * search in a server or role from the memberships. For all others, PostgreSQL chooses the plan for the actual values.
 */
export function pageStatement(filters: MemberFilters, offset: number, limit: number, expected?: number): Sql {
  if (expected !== undefined) {
    const isShort = expected <= maxShortList && matchingMemberships(filters, rowConditions) !== undefined
    if (isShort) return shortListStatement(filters, offset, limit)
    const isNear = Math.min(offset, expected - offset) < minDeepOffset
    return deepPageStatement(filters, offset, limit, storedTotal(filters), indexConditions(isNear))
  }
  if (offset >= minDeepOffset)
    return deepPageStatement(
      filters,
      offset,
      limit,
      countedTotal(filters, matchingMemberships(filters, rowConditions)),
    )
  const from = matchingMemberships(filters, rowConditions)
  return from && isSelective(filters)
    ? searchStatement(from, offset, limit)
    : countedStatement(filters, offset, limit)
}

/**
 * Counts, and reads a page along the name index of members. A search counts members, because only their index contains
 * the text to search. Other lists count memberships.
 */
function countedStatement(filters: MemberFilters, offset: number, limit: number): Sql {
  const counted = countedTotal(
    filters,
    filters.search ? undefined : matchingMemberships(filters, rowConditions),
  )
  return replanned(sql`
    with counted as materialized (${counted})
    select total, array(
      select u.id from ${matchingMembers(filters)}
      -- Sorts nothing for a page beyond the end.
      and (select total from counted) > ${offset}
      order by u.search_text, u.id limit ${limit} offset ${offset}) as ids
    from counted`)
}

/** The maximum number of memberships that a search sorts. If it finds more, `countedStatement` reads the page. */
const maxFound = 100_000

/** Returns true for a search that uses an index. One or two letters in a server do not, and match most members. */
const isSelective = ({ roleId = [], search = '' }: MemberFilters) =>
  search !== '' && (roleId.length > 0 || hasTrigrams.test(search))

/**
 * Reads a page of a search among memberships: finds all matches once, in the index of roles and trigrams, and then
 * counts and sorts them. If it finds more than `maxFound`, the total is null.
 */
const searchStatement = (from: Sql, offset: number, limit: number): Sql =>
  replanned(sql`
    with found as materialized (select m.search_text, m.member_id as id, m.server_id from ${from} limit ${maxFound + 1}),
    counted as materialized (
      select count(*) as total, coalesce(min(server_id) = max(server_id), true) as is_distinct from found)
    select case when total > ${maxFound} then null when is_distinct then total
        else (select count(distinct id) from found) end as total,
      case when total > ${maxFound} then '{}' when is_distinct then array(
        select id from found order by search_text, id limit ${limit} offset ${offset})
      else array(
        select id from (select distinct search_text, id from found) one
        order by search_text, id limit ${limit} offset ${offset}) end as ids
    from counted`)

/** Reads a page of a short list. `offset 0` makes PostgreSQL read all memberships first, and then sort them. */
const shortListStatement = (filters: MemberFilters, offset: number, limit: number): Sql =>
  replanned(sql`
    with counted as materialized (${storedTotal(filters)})
    select total, array(
      select id from (${matchingNames(filters, true, rowConditions)} offset 0) short
      where (select total from counted) > ${offset}
      order by search_text, id limit ${limit} offset ${offset}) as ids
    from counted`)

/** Reads a page at any offset, from the nearer end of the name index, without sorting all rows. */
function deepPageStatement(
  filters: MemberFilters,
  offset: number,
  limit: number,
  total: Sql,
  conditions = indexConditions(false),
): Sql {
  const page = (distinct: boolean) => sql`
    case when total > ${2 * offset} then array(
      select id from (
        ${matchingNames(filters, distinct, conditions)} order by search_text, id limit ${limit} offset ${hiddenFromPlanner(sql`${offset}`)}) page
      order by search_text, id)
    else array(
      select id from (
        ${matchingNames(filters, distinct, conditions)} order by search_text desc, id desc
        limit (select least(${limit}, total - ${offset}) from counted)
        offset (select greatest(total - ${offset} - ${limit}, 0) from counted)) page
      order by search_text, id) end`
  return replanned(sql`
    with counted as materialized (${total})
    select total, case when total <= ${offset} then '{}' when is_distinct then ${page(false)} else ${page(true)} end as ids
    from counted`)
}

interface FoundPage {
  /** Null if this statement cannot count, so that another one has to. */
  readonly total: number | null
  readonly ids: string[]
}

/**
 * Returns the number of matching members, and the IDs of one page in the order of names. Tries the stored totals first,
 * and counts if they do not suffice.
 */
export async function findPage(
  db: Queryable,
  filters: MemberFilters,
  offset: number,
  limit: number,
): Promise<{ total: number; ids: readonly string[] }> {
  const stored = hasStoredTotal(filters)
    ? await db.maybeOne<Pick<FoundPage, 'total'>>(storedTotal(filters))
    : undefined
  if (stored && stored.total !== null) {
    const page = await db.maybeOne<FoundPage>(pageStatement(filters, offset, limit, stored.total))
    if (page && page.total !== null) return { ...page, total: page.total }
  }
  const page = (await db.maybeOne<FoundPage>(pageStatement(filters, offset, limit))) ?? { total: 0, ids: [] }
  if (page.total !== null) return { ...page, total: page.total }
  const { total, ids = [] } = (await db.maybeOne<FoundPage>(countedStatement(filters, offset, limit))) ?? {}
  return { total: total ?? 0, ids }
}

/** Builds the statement of an export: the IDs of all matching members, in the order of names. */
export const exportedIds = (filters: MemberFilters): Sql =>
  sql`select id from (${matchingNames(filters, true)}) matching order by search_text, id`
