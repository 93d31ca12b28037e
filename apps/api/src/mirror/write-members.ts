import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { reportedColumns, reportedFields } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { replanned, type Sql, sql } from '#platform/db/sql'

/**
 * The only code that writes members and memberships. To write memberships, call `write-memberships.ts`, which also
 * detects members who left and returned.
 */

/**
 * The time for which Discord's statement is true. For a response, this is the time of the request: with a later time,
 * the response would seem newer than events that arrived in between. For an event, it is `now`.
 */
export type AsOf = Date | 'now'

const timeOf = (asOf: AsOf): Sql => (asOf === 'now' ? sql`clock_now()` : sql`${asOf}::timestamptz`)
const isNotNewer = (column: Sql, asOf: AsOf): Sql =>
  asOf === 'now' ? sql`true` : sql`${column} <= ${asOf}::timestamptz`

/**
 * The interval at which a listed member is written even without changes. It is half of the age up to which the mirror
 * may be served.
 */
const confirmAfter = '12 hours'

const userSql = {
  columns: reportedColumns(),
  input: reportedColumns((column) => `x.${column}`),
  stored: reportedColumns((column) => `u.${column}`),
  excluded: reportedColumns((column) => `excluded.${column}`),
  assigned: reportedColumns((column) => `${column} = excluded.${column}`),
}

/** A user as Discord reported them, and a server that they are a member of, if one is known. */
export interface KnownUser {
  readonly user: ChatUser
  readonly serverId?: string
}

/**
 * Writes the profiles that differ, unless the mirror has a newer one. Discord reports email addresses only at a
 * sign-in. In all other cases, the stored address is kept.
 */
export function upsertMembers(tx: Tx, known: readonly KnownUser[], asOf: AsOf): Promise<number> {
  const hasEmails = known.every(({ user }) => user.email !== undefined)
  const values = reportedFields
    .map((name) => sql`${known.map(({ user }) => user[name])}::text[]`)
    .reduce((before, one) => sql`${before}, ${one}`)
  return tx.execute(sql`
    insert into members as u (id, ${userSql.columns}, email, is_current, is_club_member, told_at)
    select x.id, ${userSql.input}, x.email, v.id is not null, coalesce(v.is_main, false),
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

/** A member of one server, as Discord reported them. */
export interface ServerMember {
  readonly serverId: string
  readonly member: ChatMember
}

/**
 * Selects the text that lists use to sort and search a membership. It is empty for a member that does not exist; the
 * foreign key then reports the error.
 */
const searchTextOf = (memberId: Sql): Sql =>
  sql`coalesce((select u.search_text from members u where u.id = ${memberId}), '')`

/**
 * Writes memberships, unless the mirror has a newer one. A member who had left gets a new generation, so that no
 * earlier session becomes valid again. With `all`, unchanged memberships are written, too, so that they count as just
 * read. For a whole list, that would write every row, so `old` writes them only every `confirmAfter`.
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

/** A member who left a server. */
export interface Departure {
  readonly serverId: string
  readonly memberId: string
}

/**
 * A departure. If it is known only because the member has returned, memberships that began before `cameBackAt` have
 * ended.
 */
export interface RowEnd extends Departure {
  readonly cameBackAt?: Date
}

/**
 * Ends memberships, and returns those that were ended. Leaves out memberships that had already ended, that have a newer
 * event, or that began with the return.
 *
 * Locks members before memberships, as all code that writes both does: the end of a membership also writes the other
 * memberships of the member.
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
      -- All statements that write many memberships lock them in this order.
      order by m.server_id, m.member_id
      for update of m)
    update memberships m set left_at = clock_now(), synced_at = greatest(${timeOf(asOf)}, m.synced_at)
    from due, members u, servers v
    where m.server_id = due.server_id and m.member_id = due.member_id and u.id = due.member_id
      and v.id = due.server_id
    returning m.server_id as "serverId", m.member_id as "memberId", u.username, v.name as "serverName"`)
}

/**
 * Records that people are not members, even if the mirror had no membership of theirs. Otherwise, a list that was
 * requested earlier would add them. Rows that were written since `begunAt` already say so.
 */
export const recordAbsences = (tx: Tx, departures: readonly Departure[], begunAt: Date) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, left_at, search_text)
    select server_id, member_id, clock_now(), ${searchTextOf(sql`x.member_id`)}
    from unnest(${departures.map(({ serverId }) => serverId)}::text[],
      ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
    order by server_id, member_id
    on conflict (server_id, member_id) do update set synced_at = greatest(clock_now(), m.synced_at)
    where m.left_at is not null and m.synced_at < ${begunAt}`)

/** A role of a server, which may be deleted already. */
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
 * Lists the next members who hold a role, in the order of their IDs. PostgreSQL plans this statement for its values:
 * few holders are found through the index of roles, many are read along the primary key.
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

interface RoleRemoval extends HeldRole {
  readonly memberIds: readonly string[]
}

/**
 * Removes a role from those of the listed members who still hold it, and returns their number. Locks the memberships in
 * the same order as all other statements that write many of them.
 *
 * Does not change the time of Discord's last statement about these members, because Discord said nothing about their
 * other roles. So a list that was requested earlier can still correct them.
 */
export const removeRoleFromMembers = (
  tx: Tx,
  { serverId, roleId, memberIds }: RoleRemoval,
): Promise<number> =>
  tx.execute(sql`
    with due as materialized (
      select member_id from memberships
      where server_id = ${serverId} and member_id = any(${memberIds}::text[]) and left_at is null
        and role_ids @> array[${roleId}]::text[]
      order by member_id for no key update)
    update memberships m set role_ids = array_remove(m.role_ids, ${roleId})
    from due where m.server_id = ${serverId} and m.member_id = due.member_id`)

/** Sets the name that a member has chosen in this service. Discord does not know it. */
export const setPreferredName = (tx: Tx, memberId: string, name: string | null) =>
  tx.execute(sql`
    update members set preferred_name = ${name}, updated_at = clock_now() where id = ${memberId}`)
