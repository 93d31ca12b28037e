import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A member, as the account page shows them. */
export interface Account {
  readonly username: string
  /** The name that the member prefers, or the name at Discord. */
  readonly name: string
  readonly email: string | null
  /** True if the member is in a registered server now. */
  readonly isCurrent: boolean
}

export const findAccount = (db: Queryable, memberId: string) =>
  db.maybeOne<Account>(sql`
    select username, coalesce(preferred_name, global_name, username) as name, email, is_current as "isCurrent"
    from members where id = ${memberId}`)

/** Returns the names of servers, also of removed ones. An unknown ID is left out. */
export const listServerNames = (db: Queryable, ids: readonly string[]) =>
  db.query<{ id: string; name: string }>(sql`select id, name from servers where id = any(${ids}::text[])`)
