import type { ChatServerInfo } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

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

/**
 * Creates the main server when there is no server at all. Of several instances that start at once one
 * inserts; the others meet its row, by id or by the one main flag, and do nothing.
 */
export const insertFirstServer = (db: Queryable, id: string) =>
  db.execute(sql`
    insert into servers (id, name, is_main)
    select ${id}, ${id}, true where not exists (select from servers)
    on conflict do nothing`)

/** Writes the server's name and icon where they differ. */
export const updateServer = (tx: Tx, { id, name, icon }: Omit<ChatServerInfo, 'roles'>) =>
  tx.execute(sql`
    update servers set name = ${name}, icon = ${icon}, updated_at = clock_now()
    where id = ${id} and (name, icon) is distinct from (${name}::text, ${icon}::text)`)

/** Makes the stored roles equal to the given ones and notes when that was. */
export async function replaceRoles(tx: Tx, serverId: string, roles: ChatServerInfo['roles']) {
  const ids = roles.map(({ id }) => id)
  // The server's row first: two syncs of one server take turns instead of locking each other's roles.
  await tx.execute(sql`update servers set roles_synced_at = clock_now() where id = ${serverId}`)
  await tx.execute(sql`
    insert into roles as r (server_id, id, name, color, position)
    select ${serverId}, * from unnest(${ids}::text[], ${roles.map(({ name }) => name)}::text[],
      ${roles.map(({ color }) => color)}::int[], ${roles.map(({ position }) => position)}::int[])
    on conflict (server_id, id) do update
      set name = excluded.name, color = excluded.color, position = excluded.position
      where (r.name, r.color, r.position) is distinct from (excluded.name, excluded.color, excluded.position)`)
  await tx.execute(sql`delete from roles where server_id = ${serverId} and id <> all(${ids}::text[])`)
}
