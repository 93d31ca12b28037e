import type { ChatServerInfo } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { AsOf } from './write-members.ts'

/**
 * The only writer of servers and their roles, except for the columns `live_*`, which `gateway/store.ts` writes.
 */

/**
 * Creates the main server if there is no server at all. If several instances start at once, one inserts it. The others
 * conflict with its row, by ID or by the single main flag, and do nothing.
 */
export const insertFirstServer = (db: Queryable, id: string) =>
  db.execute(sql`
    insert into servers (id, name, is_main)
    select ${id}, ${id}, true where not exists (select from servers)
    on conflict do nothing`)

export interface NewServer {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly isMain: boolean
}

/**
 * Registers a server, including a removed server. Returns false if it is already registered, also by a concurrent call.
 * Violates `servers_one_main` if this would be a second main server.
 */
export const registerServer = async (tx: Tx, { id, name, icon, isMain }: NewServer): Promise<boolean> => {
  const changed = await tx.execute(sql`
    insert into servers as v (id, name, icon, is_main) values (${id}, ${name}, ${icon}, ${isMain})
    on conflict (id) do update set name = excluded.name, icon = excluded.icon, is_main = excluded.is_main,
      created_at = clock_now(), updated_at = clock_now(), removed_at = null
    where v.removed_at is not null`)
  return changed === 1
}

/** Sets the main flag if it differs. Violates `servers_one_main` if another server has it. */
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

/** Records whether the platform can report on a server. */
export const setAvailable = (tx: Tx, serverId: string, isAvailable: boolean) =>
  tx.execute(sql`
    update servers set available = ${isAvailable}, updated_at = clock_now()
    where id = ${serverId} and available <> ${isAvailable}`)

/** Writes the name, icon, and all roles of a server, unless its roles were written since the request. */
export async function writeServer(tx: Tx, { id, name, icon, roles }: ChatServerInfo, asOf: AsOf) {
  if ((await claimRoles(tx, id, asOf)) === 0) return
  await tx.execute(sql`
    update servers set name = ${name}, icon = ${icon}, updated_at = clock_now()
    where id = ${id} and (name, icon) is distinct from (${name}::text, ${icon}::text)`)
  await upsertRoles(tx, id, roles)
  const ids = roles.map((role) => role.id)
  await tx.execute(sql`delete from roles where server_id = ${id} and id <> all(${ids}::text[])`)
}

/** Writes one role that the platform just reported. */
export async function writeRole(tx: Tx, serverId: string, role: ChatServerInfo['roles'][number]) {
  await claimRoles(tx, serverId, 'now')
  await upsertRoles(tx, serverId, [role])
}

/** Removes one role that the platform just reported as deleted. */
export async function removeRole(tx: Tx, serverId: string, roleId: string) {
  await claimRoles(tx, serverId, 'now')
  await tx.execute(sql`delete from roles where server_id = ${serverId} and id = ${roleId}`)
}

/**
 * Locks the server's row, so that writers of its roles take turns instead of locking each other's rows. Returns 0 if
 * another writer wrote the roles since the request.
 */
const claimRoles = (tx: Tx, serverId: string, asOf: AsOf) =>
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
