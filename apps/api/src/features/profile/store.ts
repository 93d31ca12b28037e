import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface ProfileRow {
  readonly id: string
  readonly username: string
  readonly avatar: string | null
  readonly displayName: string | null
  readonly email: string | null
  readonly globalName: string | null
  readonly preferredName: string | null
}

/** A member as they are shown in one server. */
export const findProfile = (db: Queryable, memberId: string, serverId: string) =>
  db.maybeOne<ProfileRow>(sql`
    select u.id, u.username, u.avatar, m.nick as "displayName", u.email, u.global_name as "globalName",
      u.preferred_name as "preferredName"
    from members u
    left join memberships m on m.member_id = u.id and m.server_id = ${serverId} and m.left_at is null
    where u.id = ${memberId}`)

/** The preferred name of a member, locked until the transaction ends. */
export const lockPreferredName = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ preferredName: string | null }>(sql`
    select preferred_name as "preferredName" from members where id = ${memberId} for update`)
