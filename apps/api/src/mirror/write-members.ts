import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { reportedColumns, reportedFields } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { replanned, type Sql, sql } from '#platform/db/sql'

/**
 * The only writer of members and memberships. Memberships are written through `write-memberships.ts`, which detects
 * returns.
 */

/**
 * The time of the platform's statement. For a response, it is the time of the request. With a later time, the response
 * would seem newer than events that arrived in between. For an event, it is `now`.
 */
export type AsOf = Date | 'now'

const timeOf = (asOf: AsOf): Sql => (asOf === 'now' ? sql`clock_now()` : sql`${asOf}::timestamptz`)
const isNotNewer = (column: Sql, asOf: AsOf): Sql =>
  asOf === 'now' ? sql`true` : sql`${column} <= ${asOf}::timestamptz`

/**
 * The interval at which a listed member without changes is written: half of the age up to which the mirror is served.
 */
const confirmAfter = '12 hours'

const userSql = {
  columns: reportedColumns(),
  given: reportedColumns((column) => `x.${column}`),
  stored: reportedColumns((column) => `u.${column}`),
  excluded: reportedColumns((column) => `excluded.${column}`),
  assigned: reportedColumns((column) => `${column} = excluded.${column}`),
}

/** A user as the platform reported it, with a server of which the user is a member, if one is known. */
export interface KnownUser {
  readonly user: ChatUser
  readonly serverId?: string
}

/**
 * Writes profiles that differ, unless the mirror has a newer version. Only sign-ins report email addresses. For users
 * without one, the stored address remains.
 */
export function upsertMembers(tx: Tx, known: readonly KnownUser[], asOf: AsOf): Promise<number> {
  const hasEmails = known.every(({ user }) => user.email !== undefined)
  const values = reportedFields
    .map((name) => sql`${known.map(({ user }) => user[name])}::text[]`)
    .reduce((before, one) => sql`${before}, ${one}`)
  return tx.execute(sql`
    insert into members as u (id, ${userSql.columns}, email, is_current, is_club_member, told_at)
    select x.id, ${userSql.given}, x.email, v.id is not null, coalesce(v.is_main, false),
      ${timeOf(asOf)}
    from unnest(${known.map(({ user }) => user.id)}::text[], ${values},
      ${known.map(({ user }) => user.email ?? null)}::text[],
      ${known.map(({ serverId }) => serverId ?? null)}::text[])
      as x (id, ${userSql.columns}, email, server_id)
    left join servers v on v.id = x.server_id and v.removed_at is null
    order by x.id
    on conflict (id) do update set told_at = greatest(excluded.told_at, u.told_at),
      ${userSql.assigned}, email = case when ${hasEmails} then excluded.email else u.email end, updated_at = clock_now()
    where ${isNotNewer(sql`u.told_at`, asOf)}
      and ((${userSql.stored}) is distinct from (${userSql.excluded})
        or (${hasEmails} and u.email is distinct from excluded.email))`)
}

export interface ServerMember {
  readonly serverId: string
  readonly member: ChatMember
}

/**
 * Selects the text by which lists order and search a membership. Is empty for a member that does not exist, which the
 * foreign key then reports.
 */
const searchTextOf = (memberId: Sql): Sql =>
  sql`coalesce((select u.search_text from members u where u.id = ${memberId}), '')`

/**
 * Writes memberships, unless the mirror has a newer version. A member who had left returns with a new generation, so
 * that no earlier session becomes valid again. With `confirms`, also writes unchanged memberships, so that they count
 * as just read. For a whole list that would write every row.
 */
export const upsertMemberships = (
  tx: Tx,
  rows: readonly ServerMember[],
  asOf: AsOf,
  confirms: 'all' | 'old' = 'all',
) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, nick, role_ids, joined_at, pending, synced_at, search_text)
    select x.server_id, x.member_id, x.nick, x.role_ids::text[], x.joined_at, x.pending, ${timeOf(asOf)},
      ${searchTextOf(sql`x.member_id`)}
    from unnest(${rows.map(({ serverId }) => serverId)}::text[],
      ${rows.map(({ member }) => member.user.id)}::text[], ${rows.map(({ member }) => member.nick)}::text[],
      ${rows.map(({ member }) => `{${member.roleIds.join(',')}}`)}::text[],
      ${rows.map(({ member }) => member.joinedAt?.toISOString() ?? null)}::timestamptz[],
      ${rows.map(({ member }) => member.pending)}::boolean[])
      as x (server_id, member_id, nick, role_ids, joined_at, pending)
    order by x.server_id, x.member_id
    on conflict (server_id, member_id) do update set
      nick = excluded.nick, role_ids = excluded.role_ids, joined_at = coalesce(excluded.joined_at, m.joined_at),
      pending = excluded.pending, left_at = null, synced_at = greatest(excluded.synced_at, m.synced_at),
      generation = m.generation + case when m.left_at is null then 0 else 1 end
    where ${isNotNewer(sql`m.synced_at`, asOf)} and (${confirms === 'all'} or m.left_at is not null
      or (m.nick, m.role_ids, m.joined_at, m.pending) is distinct from
        (excluded.nick, excluded.role_ids, coalesce(excluded.joined_at, m.joined_at), excluded.pending)
      or m.synced_at < clock_now() - ${confirmAfter}::interval)`)

/** The departure of one member from one server. */
export interface Departure {
  readonly serverId: string
  readonly memberId: string
}

/** A departure that may be known only from the return: memberships that began before `cameBackAt` are over. */
export interface RowEnd extends Departure {
  readonly cameBackAt?: Date
}

/**
 * Ends memberships, and returns those that it ended. Excludes memberships that were over, that have a newer event, or
 * that began with the return.
 *
 * Locks members before memberships, as all writers of both do, because the end of a membership also writes the member's
 * other memberships.
 */
export const endMembershipRows = (tx: Tx, departures: readonly RowEnd[], asOf: AsOf) => {
  const isDue = sql`m.left_at is null and ${isNotNewer(sql`m.synced_at`, asOf)}
    and (x.came_back_at is null or m.joined_at < x.came_back_at)`
  return tx.query<Departure & { username: string; serverName: string }>(sql`
    with ending as materialized (
      select x.* from unnest(${departures.map(({ serverId }) => serverId)}::text[],
        ${departures.map(({ memberId }) => memberId)}::text[],
        ${departures.map(({ cameBackAt }) => cameBackAt?.toISOString() ?? null)}::timestamptz[])
        as x (server_id, member_id, came_back_at)
      join memberships m on m.server_id = x.server_id and m.member_id = x.member_id where ${isDue}),
    locked as materialized (
      select u.id from members u where u.id in (select member_id from ending)
      order by length(u.id), u.id for no key update),
    due as (
      select m.server_id, m.member_id from ending x join locked u on u.id = x.member_id
      join memberships m on m.server_id = x.server_id and m.member_id = x.member_id
      where ${isDue}
      -- Everybody who writes many memberships locks them in this order.
      order by m.server_id, m.member_id
      for update of m)
    update memberships m set left_at = clock_now(), synced_at = greatest(${timeOf(asOf)}, m.synced_at)
    from due, members u, servers v
    where m.server_id = due.server_id and m.member_id = due.member_id and u.id = due.member_id
      and v.id = due.server_id
    returning m.server_id as "serverId", m.member_id as "memberId", u.username, v.name as "serverName"`)
}

/**
 * Records that people are not members, even if the mirror had no membership. Otherwise a list that was requested before
 * would add them later. Rows written since `begunAt` record it already.
 */
export const noteAbsences = (tx: Tx, departures: readonly Departure[], begunAt: Date) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, left_at, search_text)
    select server_id, member_id, clock_now(), ${searchTextOf(sql`x.member_id`)}
    from unnest(${departures.map(({ serverId }) => serverId)}::text[],
      ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
    order by server_id, member_id
    on conflict (server_id, member_id) do update set synced_at = greatest(clock_now(), m.synced_at)
    where m.left_at is not null and m.synced_at < ${begunAt}`)

/** A role of a server. It may be deleted. */
export interface HeldRole {
  readonly serverId: string
  readonly roleId: string
}

interface Holders extends HeldRole {
  /** Only members with later IDs are listed. */
  readonly after: string
  readonly limit: number
}

/**
 * Lists the next current members who hold a role, in the order of their IDs. PostgreSQL plans it with its values: few
 * holders are read from the index of roles, and many along the key.
 */
export const listHolders = async (
  db: Queryable,
  { serverId, roleId, after, limit }: Holders,
): Promise<readonly string[]> => {
  const holders = await db.query<{ id: string }>(
    replanned(sql`
      select member_id as id from memberships
      where server_id = ${serverId} and left_at is null and role_ids @> array[${roleId}]::text[]
        and member_id > ${after}
      order by member_id limit ${limit}`),
  )
  return holders.map(({ id }) => id)
}

interface RoleToTake extends HeldRole {
  readonly memberIds: readonly string[]
}

/**
 * Removes a role from the listed members who still hold it, and returns their number. Locks the memberships in the order
 * of all statements that write many.
 *
 * The time of the platform's last statement stays, because it said nothing about the other roles of these members. So a
 * list that was requested before may still correct them.
 */
export const takeRole = (tx: Tx, { serverId, roleId, memberIds }: RoleToTake): Promise<number> =>
  tx.execute(sql`
    with due as materialized (
      select member_id from memberships
      where server_id = ${serverId} and member_id = any(${memberIds}::text[]) and left_at is null
        and role_ids @> array[${roleId}]::text[]
      order by member_id for no key update)
    update memberships m set role_ids = array_remove(m.role_ids, ${roleId})
    from due where m.server_id = ${serverId} and m.member_id = due.member_id`)

/** Sets the name that a member chose here, which the platform does not know. */
export const setPreferredName = (tx: Tx, memberId: string, name: string | null) =>
  tx.execute(sql`
    update members set preferred_name = ${name}, updated_at = clock_now() where id = ${memberId}`)
