import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The username of a member who is known; undefined of an id that is nobody's. */
export const findUsername = async (db: Queryable, memberId: string): Promise<string | undefined> =>
  (await db.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId}`))
    ?.username
