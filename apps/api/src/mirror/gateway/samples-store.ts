import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A member that Discord has confirmed within this time is not compared again. */
const confirmedFor = '10 minutes'

/**
 * Reads the next `size` members in the order of their IDs. Returns those that were not confirmed recently, the oldest
 * confirmation first. `last` is the last ID that was read, or undefined at the end of the server.
 */
export const listToSample = async (
  db: Queryable,
  { serverId, after, size }: { serverId: string; after: string; size: number },
) => {
  const rows = await db.query<{ id: string; isDue: boolean }>(sql`
    select id, is_due as "isDue" from (
      select member_id as id, synced_at, synced_at < clock_now() - ${confirmedFor}::interval as is_due
      from memberships
      where server_id = ${serverId} and left_at is null
        and (length(member_id), member_id) > (length(${after}::text), ${after}::text)
      order by length(member_id), member_id limit ${size}) stretch
    order by synced_at`)
  const ids = rows.map(({ id }) => id)
  const last = ids.length < size ? undefined : ids.reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b))
  return { memberIds: rows.filter(({ isDue }) => isDue).map(({ id }) => id), last }
}

/** A membership in the mirror. */
export interface MirroredMembership {
  readonly nick: string | null
  readonly roleIds: readonly string[]
  /** `roleIds` without the deleted roles, which are removed from their members some time later. */
  readonly knownRoleIds: readonly string[]
  readonly pending: boolean
  readonly hasLeft: boolean
  readonly syncedAt: Date
}

/** Returns a membership from the mirror, or undefined. */
export const findMirrored = (db: Queryable, serverId: string, memberId: string) =>
  db.maybeOne<MirroredMembership>(sql`
    select m.nick, m.role_ids as "roleIds", m.pending, m.left_at is not null as "hasLeft", m.synced_at as "syncedAt",
      array(select r.id from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)) as "knownRoleIds"
    from memberships m where m.server_id = ${serverId} and m.member_id = ${memberId}`)
