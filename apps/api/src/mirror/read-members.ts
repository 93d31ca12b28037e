import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Returns the username of a member, or undefined if the mirror does not know the ID. */
export const findUsername = async (db: Queryable, memberId: string): Promise<string | undefined> =>
  (await db.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId}`))
    ?.username
