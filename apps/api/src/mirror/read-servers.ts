import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Returns true if the server is registered. */
export const isServer = async (db: Queryable, serverId: string): Promise<boolean> =>
  (await db.maybeOne(sql`select from servers where id = ${serverId} and removed_at is null`)) !== undefined

/** Returns the name of a server, even of a removed one: the page for a refused person still shows it. */
export const findServerName = async (db: Queryable, serverId: string): Promise<string | undefined> =>
  (await db.maybeOne<{ name: string }>(sql`select name from servers where id = ${serverId}`))?.name

/** Selects the ID of the main server, or null if there is none. */
export const mainServerId = sql`(select v.id from servers v where v.is_main and v.removed_at is null)`

/** A server that requests without a server refer to. */
export interface MainServer {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly isMain: boolean
}

/** Returns the main server, or undefined if there is none. */
export const findMainServer = (db: Queryable) =>
  db.maybeOne<MainServer>(sql`
    select id, name, icon, is_main as "isMain" from servers where is_main and removed_at is null`)

/**
 * Returns the server that decides who is a System Admin. It is also the default of requests without a server. It is the
 * main server, or the configured one while there is no main server.
 */
export const findAdminServer = (db: Queryable, configuredId: string | undefined) =>
  db.maybeOne<MainServer>(sql`
    select id, name, icon, is_main as "isMain" from servers
    where removed_at is null
      and (is_main or (id = ${configuredId ?? null} and not exists (select from servers where is_main)))`)
