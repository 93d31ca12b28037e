import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { ServerMember } from './write-members.ts'

/** The knowledge of the mirror about the roles of a server. */
export interface RolesState {
  /** The time since the roles of the server were read. Null if they never were. */
  readonly ageMs: number | null
  /** True if the mirror knows all requested roles. */
  readonly complete: boolean
}

/**
 * Returns the age of a server's roles, and whether all of `roleIds` are known. Returns undefined if the server is not
 * registered.
 */
export const rolesState = (db: Queryable, serverId: string, roleIds: readonly string[]) =>
  db.maybeOne<RolesState>(sql`
    select (extract(epoch from clock_now() - v.roles_synced_at) * 1000)::float8 as "ageMs",
      ${roleIds}::text[] <@ array(select r.id::text from roles r where r.server_id = v.id) as complete
    from servers v where v.id = ${serverId} and v.removed_at is null`)

/** Lists the servers in which one of these members holds an unknown role. */
export const listUnknownRoles = async (tx: Tx, rows: readonly ServerMember[]) =>
  (
    await tx.query<{ id: string }>(sql`
      select distinct x.server_id as id
      from unnest(${rows.map(({ serverId }) => serverId)}::text[],
        ${rows.map(({ member }) => `{${member.roleIds.join(',')}}`)}::text[]) as x (server_id, role_ids),
        unnest(x.role_ids::text[]) as held (id)
      where not exists (select from roles r where r.server_id = x.server_id and r.id = held.id)`)
  ).map(({ id }) => id)

/** Returns the names of roles by ID. Omits roles that Discord has deleted. */
export async function namesOfRoles(db: Queryable, serverId: string, roleIds: readonly string[]) {
  if (roleIds.length === 0) return new Map<string, string>()
  const rows = await db.query<{ id: string; name: string }>(sql`
    select r.id, r.name from roles r where r.server_id = ${serverId} and r.id = any(${roleIds}::text[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns the indexes of the IDs that are not roles of this server, according to the mirror. */
export const placesOfUnknownRoles = async (db: Queryable, serverId: string, roleIds: readonly string[]) =>
  roleIds.length === 0
    ? []
    : (
        await db.query<{ place: number }>(sql`
          select (x.place - 1)::int as place
          from unnest(${roleIds}::text[]) with ordinality as x (id, place)
          where not exists (select from roles r where r.server_id = ${serverId} and r.id = x.id)
          order by x.place`)
      ).map(({ place }) => place)
