import type { ChatMember, ChatUser } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Writes a member's profile. The e-mail is only known from a login; other sources leave it as it is. */
export const upsertMember = (tx: Tx, user: ChatUser, askedAt?: Date) =>
  tx.execute(sql`
    insert into members as u (id, username, global_name, avatar, email, told_at)
    values (${user.id}, ${user.username}, ${user.globalName}, ${user.avatar}, ${user.email ?? null},
      coalesce(${askedAt ?? null}::timestamptz, clock_now()))
    on conflict (id) do update set told_at = excluded.told_at,
      username = excluded.username, global_name = excluded.global_name, avatar = excluded.avatar,
      email = case when ${user.email !== undefined} then excluded.email else u.email end
    where u.told_at <= coalesce(${askedAt ?? null}::timestamptz, 'infinity')
      and ((u.username, u.global_name, u.avatar) is distinct from
          (excluded.username, excluded.global_name, excluded.avatar)
        or (${user.email !== undefined} and u.email is distinct from excluded.email))`)

/**
 * Writes what the platform said of a membership; also the way back in for someone who had left. It is as of when
 * it was asked for: as of now, it would keep out an answer that was asked for meanwhile and knows more.
 */
export const upsertMembership = (tx: Tx, serverId: string, member: ChatMember, askedAt?: Date) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, nick, role_ids, joined_at, pending, synced_at)
    values (${serverId}, ${member.user.id}, ${member.nick}, ${member.roleIds}::text[],
      ${member.joinedAt?.toISOString() ?? null}, ${member.pending},
      coalesce(${askedAt ?? null}::timestamptz, clock_now()))
    on conflict (server_id, member_id) do update set
      nick = excluded.nick, role_ids = excluded.role_ids, joined_at = excluded.joined_at,
      pending = excluded.pending, left_at = null, synced_at = excluded.synced_at
    where m.synced_at <= coalesce(${askedAt ?? null}::timestamptz, 'infinity')`)

/** One member's way out of one server. */
export interface Departure {
  readonly serverId: string
  readonly memberId: string
}

/** Ends memberships. Answers those that it ended; one that was over, or was told of since, is not among them. */
export const endMemberships = (tx: Tx, departures: readonly Departure[], askedAt?: Date) =>
  tx.query<Departure & { username: string; serverName: string }>(sql`
    with due as (
      select m.server_id, m.member_id from memberships m
      join unnest(${departures.map(({ serverId }) => serverId)}::text[],
        ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
        on m.server_id = x.server_id and m.member_id = x.member_id
      where m.left_at is null and m.synced_at <= coalesce(${askedAt ?? null}::timestamptz, 'infinity')
      -- Everybody who writes many memberships locks them in this order.
      order by m.server_id, m.member_id
      for update of m)
    update memberships m set left_at = clock_now(),
      synced_at = coalesce(${askedAt ?? null}::timestamptz, clock_now())
    from due, members u, servers v
    where m.server_id = due.server_id and m.member_id = due.member_id and u.id = due.member_id
      and v.id = due.server_id
    returning m.server_id as "serverId", m.member_id as "memberId", u.username, v.name as "serverName"`)

/** Revokes the sessions that members have in servers; answers one row for each. */
export const revokeServerSessions = (tx: Tx, departures: readonly Departure[]) =>
  tx.query<Departure>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'member_left'
    from unnest(${departures.map(({ serverId }) => serverId)}::text[],
      ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
    where s.server_id = x.server_id and s.member_id = x.member_id and s.revoked_at is null
    returning s.server_id as "serverId", s.member_id as "memberId"`)

export interface RolesState {
  /** Milliseconds since the server's roles were read; null when they never were. */
  readonly ageMs: number | null
  /** True when every given role is known. */
  readonly complete: boolean
}

/** How much the stored roles of a server can be relied on for someone who holds these. */
export const rolesState = (db: Queryable, serverId: string, roleIds: readonly string[]) =>
  db.maybeOne<RolesState>(sql`
    select (extract(epoch from clock_now() - v.roles_synced_at) * 1000)::float8 as "ageMs",
      ${roleIds}::text[] <@ array(select r.id::text from roles r where r.server_id = v.id) as complete
    from servers v where v.id = ${serverId} and v.removed_at is null`)
