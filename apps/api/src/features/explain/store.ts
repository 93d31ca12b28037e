import { rolesAsJson } from '#member/columns'
import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Role } from '#responses/roles'

/** The facts in the mirror about a server and one person. Fields about the person are null if they are unknown. */
export interface KnownPlace {
  readonly roles: readonly Role[]
  readonly username: string | null
  readonly isCurrent: boolean
  readonly nick: string | null
  readonly roleIds: readonly string[] | null
  readonly joinedAt: Date | null
  readonly pending: boolean | null
  readonly syncedAt: Date | null
}

/** Reads a server and one person from the mirror. Returns undefined for an unknown server. */
export const findPlace = (db: Queryable, serverId: string, memberId: string) =>
  db.maybeOne<KnownPlace>(sql`
    select (select ${rolesAsJson}
      from roles r where r.server_id = v.id) as roles,
      u.username, m.member_id is not null and m.left_at is null as "isCurrent", m.nick, m.role_ids as "roleIds",
      m.joined_at as "joinedAt", m.pending, m.synced_at as "syncedAt"
    from servers v
    left join members u on u.id = ${memberId}
    left join memberships m on m.server_id = v.id and m.member_id = u.id
    where v.id = ${serverId}`)

/** Returns the digest of a valid API key of the project, or undefined if it has none. */
export const findKeyDigest = async (db: Queryable, projectId: string): Promise<string | undefined> =>
  (
    await db.maybeOne<{ digest: string }>(sql`
      select digest from working_keys where project_id = ${projectId} order by id desc limit 1`)
  )?.digest
