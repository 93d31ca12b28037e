import type { chatServers } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** Builds the query for registered servers, newest first, with the number of members and the last sync. */
const registered = (condition: Sql): Sql => sql`
  select v.id, v.name, v.icon, v.is_main as "isMain", iso(v.roles_synced_at) as "rolesSyncedAt",
    (select count(*) from memberships m where m.server_id = v.id and m.left_at is null) as "memberCount",
    (select member_sync_json(s) from member_syncs s where s.server_id = v.id
      order by s.started_at desc, s.id desc limit 1) as "lastSync",
    iso(v.created_at) as "createdAt", iso(v.updated_at) as "updatedAt"
  from servers v where v.removed_at is null and ${condition}
  order by v.created_at desc, v.id desc`

/** Lists all registered servers, newest first. */
export const listServers = (db: Queryable) => db.query<chatServers.ChatServer>(registered(sql`true`))

export const findServer = (db: Queryable, id: string) =>
  db.maybeOne<chatServers.ChatServer>(registered(sql`v.id = ${id}`))

export const listRegisteredIds = async (db: Queryable): Promise<string[]> =>
  (await db.query<{ id: string }>(sql`select id from servers where removed_at is null`)).map(({ id }) => id)

/** The age of the stored roles of a server. */
export interface RolesAge {
  /** True if the roles were read at least once. */
  readonly areKnown: boolean
  /** True if the gateway reports every change of the roles at once, or if they were read within `ttlMs`. */
  readonly areFresh: boolean
}

/** Returns how current the stored roles of a server are, or undefined if the server is not registered. */
export const findRolesAge = (db: Queryable, id: string, ttlMs: number) =>
  db.maybeOne<RolesAge>(sql`
    select roles_synced_at is not null as "areKnown",
      coalesce(live_until > clock_now(), false)
        or coalesce(roles_synced_at > clock_now() - ${ttlMs}::int * interval '1 millisecond', false) as "areFresh"
    from servers where id = ${id} and removed_at is null`)

/**
 * Lists the roles of a server, highest first. The role with the ID of the server is `@everyone`, which all members
 * have.
 */
export const listRoles = (db: Queryable, serverId: string) =>
  db.query<chatServers.ListedRole>(sql`
    select r.id, r.name, nullif(r.color, 0) as color, r.position, (
      select coalesce(sum(t.total), 0)::int from member_totals t
      where t.role_id = case when r.id = r.server_id then '' else r.id end
        and t.server_id = r.server_id) as "memberCount"
    from roles r where r.server_id = ${serverId} order by r.position desc, r.id`)
