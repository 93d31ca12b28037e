import type { ChatServerInfo } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { AsOf } from './write-members.ts'

/**
 * The only code that writes servers and their roles, except for the columns `live_*`, which `gateway/store.ts` writes.
 */

/**
 * Creates the main server if there is no server yet. If several instances start at the same time, one of them inserts
 * it. For the others, the ID or the main flag conflicts, and they do nothing.
 */
export const insertFirstServer = (db: Queryable, id: string) =>
  db.execute(sql`
    insert into servers (id, name, is_main)
    select ${id}, ${id}, true where not exists (select from servers)
    on conflict do nothing`)

/** A server to be registered. */
export interface NewServer {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly isMain: boolean
}

/**
 * Registers a server, or a removed server again. Returns false if it is already registered, perhaps by a simultaneous
 * call. Violates `servers_one_main` if it would be a second main server.
 */
export const registerServer = async (tx: Tx, { id, name, icon, isMain }: NewServer): Promise<boolean> => {
  const changed = await tx.execute(sql`
    insert into servers as v (id, name, icon, is_main) values (${id}, ${name}, ${icon}, ${isMain})
    on conflict (id) do update set name = excluded.name, icon = excluded.icon, is_main = excluded.is_main,
      created_at = clock_now(), updated_at = clock_now(), removed_at = null
    where v.removed_at is not null`)
  return changed === 1
}

/**
 * Sets the main flag, and returns the server's name. Returns undefined if that changes nothing. Violates
 * `servers_one_main` if another server has the flag.
 */
export const setMainFlag = (tx: Tx, id: string, isMain: boolean) =>
  tx.maybeOne<{ name: string }>(sql`
    update servers set is_main = ${isMain}, updated_at = clock_now()
    where id = ${id} and removed_at is null and is_main <> ${isMain}
    returning name`)

/**
 * Removes a registered server, and returns its name. Returns undefined for the main server, which stays. All sessions
 * in a removed server are invalid.
 */
export const removeUnlessMain = (tx: Tx, id: string) =>
  tx.maybeOne<{ name: string }>(sql`
    update servers set removed_at = clock_now(), updated_at = clock_now()
    where id = ${id} and removed_at is null and not is_main
    returning name`)

/** Records whether Discord can report on a server. */
export const setAvailable = (tx: Tx, serverId: string, isAvailable: boolean) =>
  tx.execute(sql`
    update servers set available = ${isAvailable}, updated_at = clock_now()
    where id = ${serverId} and available <> ${isAvailable}`)

/** Writes the name, the icon, and all roles of a server, unless its roles were written after the request. */
export async function writeServer(tx: Tx, { id, name, icon, roles }: ChatServerInfo, asOf: AsOf) {
  if ((await lockRoles(tx, id, asOf)) === 0) return
  await tx.execute(sql`
    update servers set name = ${name}, icon = ${icon}, updated_at = clock_now()
    where id = ${id} and (name, icon) is distinct from (${name}::text, ${icon}::text)`)
  await upsertRoles(tx, id, roles)
  const ids = roles.map((role) => role.id)
  await tx.execute(sql`delete from roles where server_id = ${id} and id <> all(${ids}::text[])`)
}

/** Writes one role that Discord has just reported. */
export async function writeRole(tx: Tx, serverId: string, role: ChatServerInfo['roles'][number]) {
  await lockRoles(tx, serverId, 'now')
  await upsertRoles(tx, serverId, [role])
}

/** Deletes one role that Discord has just reported as deleted. */
export async function removeRole(tx: Tx, serverId: string, roleId: string) {
  await lockRoles(tx, serverId, 'now')
  await tx.execute(sql`delete from roles where server_id = ${serverId} and id = ${roleId}`)
}

/**
 * Locks the row of the server, so that writers of its roles wait for each other instead of causing deadlocks. Returns 0
 * if the roles were written after the request.
 */
const lockRoles = (tx: Tx, serverId: string, asOf: AsOf) =>
  asOf === 'now'
    ? tx.execute(sql`
        update servers set roles_synced_at = greatest(clock_now(), roles_synced_at) where id = ${serverId}`)
    : tx.execute(sql`
        update servers set roles_synced_at = ${asOf}
        where id = ${serverId} and (roles_synced_at is null or roles_synced_at <= ${asOf})`)

const upsertRoles = (tx: Tx, serverId: string, roles: ChatServerInfo['roles']) =>
  tx.execute(sql`
    insert into roles as r (server_id, id, name, color, position)
    select ${serverId}, * from unnest(${roles.map(({ id }) => id)}::text[], ${roles.map(({ name }) => name)}::text[],
      ${roles.map(({ color }) => color)}::int[], ${roles.map(({ position }) => position)}::int[])
    on conflict (server_id, id) do update
      set name = excluded.name, color = excluded.color, position = excluded.position
      where (r.name, r.color, r.position) is distinct from (excluded.name, excluded.color, excluded.position)`)
