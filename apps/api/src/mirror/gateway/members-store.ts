import type { ChatMember, ChatUser } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Writes profiles where they differ. E-mails stay: the gateway does not tell them. */
export const upsertMembers = (tx: Tx, users: readonly ChatUser[]) =>
  tx.execute(sql`
    insert into members as u (id, username, global_name, avatar)
    select * from unnest(${users.map(({ id }) => id)}::text[], ${users.map(({ username }) => username)}::text[],
      ${users.map(({ globalName }) => globalName)}::text[], ${users.map(({ avatar }) => avatar)}::text[])
      as x (id, username, global_name, avatar)
    order by x.id
    on conflict (id) do update set
      username = excluded.username, global_name = excluded.global_name, avatar = excluded.avatar,
      told_at = clock_now()
    where (u.username, u.global_name, u.avatar) is distinct from
      (excluded.username, excluded.global_name, excluded.avatar)`)

export interface ServerMember {
  readonly serverId: string
  readonly member: ChatMember
}

/** Writes memberships as the platform just told them; also the way back in for someone who had left. */
export const upsertMemberships = (tx: Tx, rows: readonly ServerMember[]) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, nick, role_ids, joined_at, pending)
    select x.server_id, x.member_id, x.nick, x.role_ids::text[], x.joined_at, x.pending
    from unnest(${rows.map(({ serverId }) => serverId)}::text[], ${rows.map(({ member }) => member.user.id)}::text[],
      ${rows.map(({ member }) => member.nick)}::text[],
      ${rows.map(({ member }) => `{${member.roleIds.join(',')}}`)}::text[],
      ${rows.map(({ member }) => member.joinedAt?.toISOString() ?? null)}::timestamptz[],
      ${rows.map(({ member }) => member.pending)}::boolean[])
      as x (server_id, member_id, nick, role_ids, joined_at, pending)
    order by x.server_id, x.member_id
    on conflict (server_id, member_id) do update set
      nick = excluded.nick, role_ids = excluded.role_ids, joined_at = coalesce(excluded.joined_at, m.joined_at),
      pending = excluded.pending, left_at = null, synced_at = clock_now()`)

/**
 * Notes that people are not members, also where no membership was known: a list that was asked for before this must
 * not bring them in after it.
 */
export const noteAbsences = (tx: Tx, departures: readonly { serverId: string; memberId: string }[]) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, left_at)
    select server_id, member_id, clock_now()
    from unnest(${departures.map(({ serverId }) => serverId)}::text[],
      ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
    order by server_id, member_id
    on conflict (server_id, member_id) do update set synced_at = clock_now() where m.left_at is not null`)

/** Takes a role from up to `limit` members who hold it; 0 when nobody does any more. */
export const takeRole = (db: Queryable, serverId: string, roleId: string, limit: number) =>
  db.execute(sql`
    update memberships set role_ids = array_remove(role_ids, ${roleId}), synced_at = clock_now()
    where server_id = ${serverId} and member_id in (
      select member_id from memberships
      where server_id = ${serverId} and role_ids @> array[${roleId}]::text[] order by member_id limit ${limit})`)

export const upsertRole = (
  tx: Tx,
  serverId: string,
  { id, name, color, position }: { id: string; name: string; color: number; position: number },
) =>
  tx.execute(sql`
    insert into roles as r (server_id, id, name, color, position)
    values (${serverId}, ${id}, ${name}, ${color}, ${position})
    on conflict (server_id, id) do update
      set name = excluded.name, color = excluded.color, position = excluded.position
      where (r.name, r.color, r.position) is distinct from (excluded.name, excluded.color, excluded.position)`)

/** Servers of which one of these members holds a role that is not known. */
export const listUnknownRoles = async (tx: Tx, rows: readonly ServerMember[]) =>
  (
    await tx.query<{ id: string }>(sql`
      select distinct x.server_id as id
      from unnest(${rows.map(({ serverId }) => serverId)}::text[],
        ${rows.map(({ member }) => `{${member.roleIds.join(',')}}`)}::text[]) as x (server_id, role_ids),
        unnest(x.role_ids::text[]) as held (id)
      where not exists (select from roles r where r.server_id = x.server_id and r.id = held.id)`)
  ).map(({ id }) => id)

export const deleteRole = (tx: Tx, serverId: string, roleId: string) =>
  tx.execute(sql`delete from roles where server_id = ${serverId} and id = ${roleId}`)

/** The server's row first: whoever writes roles takes turns. Reads that were asked for before this are out of date. */
export const noteRolesChange = (tx: Tx, serverId: string) =>
  tx.execute(sql`update servers set roles_synced_at = clock_now() where id = ${serverId}`)

export const setAvailable = (tx: Tx, serverId: string, isAvailable: boolean) =>
  tx.execute(sql`
    update servers set available = ${isAvailable}, updated_at = clock_now()
    where id = ${serverId} and available <> ${isAvailable}`)
