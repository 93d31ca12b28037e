import type { chatServers } from '@rolecall/contract'
import type { ChatServerInfo } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

export interface ChatServer {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly isMain: boolean
}

export const findMainServer = (db: Queryable) =>
  db.maybeOne<ChatServer>(
    sql`select id, name, icon, is_main as "isMain" from servers where is_main and removed_at is null`,
  )

/** The server that decides who is a System Admin: the main one, or the configured one while there is none. */
export const findAdminServer = (db: Queryable, configuredId: string | undefined) =>
  db.maybeOne<ChatServer>(sql`
    select id, name, icon, is_main as "isMain" from servers
    where removed_at is null
      and (is_main or (id = ${configuredId ?? null} and not exists (select from servers where is_main)))`)

/**
 * Creates the main server when there is no server at all. Of several instances that start at once one
 * inserts; the others meet its row, by id or by the one main flag, and do nothing.
 */
export const insertFirstServer = (db: Queryable, id: string) =>
  db.execute(sql`
    insert into servers (id, name, is_main)
    select ${id}, ${id}, true where not exists (select from servers)
    on conflict do nothing`)

const registered = (condition: Sql): Sql => sql`
  select v.id, v.name, v.icon, v.is_main as "isMain", iso(v.roles_synced_at) as "rolesSyncedAt",
    (select count(*) from memberships m where m.server_id = v.id and m.left_at is null) as "memberCount",
    (select member_sync_json(s) from member_syncs s where s.server_id = v.id
      order by s.started_at desc, s.id desc limit 1) as "lastSync",
    iso(v.created_at) as "createdAt", iso(v.updated_at) as "updatedAt"
  from servers v where v.removed_at is null and ${condition}
  order by v.created_at desc, v.id desc`

/** All registered servers, newest first. */
export const listServers = (db: Queryable) => db.query<chatServers.ChatServer>(registered(sql`true`))

export const findServer = (db: Queryable, id: string) =>
  db.maybeOne<chatServers.ChatServer>(registered(sql`v.id = ${id}`))

/**
 * Registers a server, also one that was removed. Returns false when it is registered already: of two that
 * race one inserts. Violates `servers_one_main` when there is a main server and this shall be another.
 */
export const registerServer = async (tx: Tx, { id, name, icon, isMain }: ChatServer): Promise<boolean> => {
  const changed = await tx.execute(sql`
    insert into servers as v (id, name, icon, is_main) values (${id}, ${name}, ${icon}, ${isMain})
    on conflict (id) do update set name = excluded.name, icon = excluded.icon, is_main = excluded.is_main,
      created_at = clock_now(), updated_at = clock_now(), removed_at = null
    where v.removed_at is not null`)
  return changed === 1
}

/** Sets the main flag where it differs. Violates `servers_one_main` when another server has it. */
export const setMainFlag = (tx: Tx, id: string, isMain: boolean) =>
  tx.maybeOne<{ name: string }>(sql`
    update servers set is_main = ${isMain}, updated_at = clock_now()
    where id = ${id} and removed_at is null and is_main <> ${isMain}
    returning name`)

/** Removes a server unless it is the main one. Every session in it stops being live with this statement. */
export const removeUnlessMain = (tx: Tx, id: string) =>
  tx.maybeOne<{ name: string }>(sql`
    update servers set removed_at = clock_now(), updated_at = clock_now()
    where id = ${id} and removed_at is null and not is_main
    returning name`)

/** Ends the sessions in a server for good: they must not live again when the server comes back. */
export const revokeSessionsOfServer = (tx: Tx, serverId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'server_removed'
    where server_id = ${serverId} and revoked_at is null and expires_at > clock_now()`)

export interface RolesAge {
  readonly areKnown: boolean
  readonly areFresh: boolean
}

/** How good the stored roles of a server are; undefined when it is not registered. */
export const findRolesAge = (db: Queryable, id: string, ttlMs: number) =>
  db.maybeOne<RolesAge>(sql`
    select roles_synced_at is not null as "areKnown",
      coalesce(live_until > clock_now(), false)
        or coalesce(roles_synced_at > clock_now() - ${ttlMs}::int * interval '1 millisecond', false) as "areFresh"
    from servers where id = ${id} and removed_at is null`)

/** The roles of a server, highest first. */
export const listRoles = (db: Queryable, serverId: string) =>
  db.query<chatServers.Role>(sql`
    select id, name, nullif(color, 0) as color, position
    from roles where server_id = ${serverId} order by position desc, id`)

/** Writes the server's name and icon where they differ. */
export const updateServer = (tx: Tx, { id, name, icon }: Omit<ChatServerInfo, 'roles'>) =>
  tx.execute(sql`
    update servers set name = ${name}, icon = ${icon}, updated_at = clock_now()
    where id = ${id} and (name, icon) is distinct from (${name}::text, ${icon}::text)`)

/** Locks a server's row; 0 when somebody has written its roles since this time. */
export const claimRoles = (tx: Tx, serverId: string, askedAt: Date) =>
  tx.execute(sql`
    update servers set roles_synced_at = clock_now()
    where id = ${serverId} and (roles_synced_at is null or roles_synced_at <= ${askedAt})`)

/** Makes the stored roles equal to the given ones and notes as of when that is. */
export async function replaceRoles(tx: Tx, serverId: string, roles: ChatServerInfo['roles'], askedAt?: Date) {
  const ids = roles.map(({ id }) => id)
  // The server's row first: two syncs of one server take turns instead of locking each other's roles.
  await tx.execute(sql`
    update servers set roles_synced_at = coalesce(${askedAt ?? null}::timestamptz, clock_now())
    where id = ${serverId}`)
  await tx.execute(sql`
    insert into roles as r (server_id, id, name, color, position)
    select ${serverId}, * from unnest(${ids}::text[], ${roles.map(({ name }) => name)}::text[],
      ${roles.map(({ color }) => color)}::int[], ${roles.map(({ position }) => position)}::int[])
    on conflict (server_id, id) do update
      set name = excluded.name, color = excluded.color, position = excluded.position
      where (r.name, r.color, r.position) is distinct from (excluded.name, excluded.color, excluded.position)`)
  await tx.execute(sql`delete from roles where server_id = ${serverId} and id <> all(${ids}::text[])`)
}
