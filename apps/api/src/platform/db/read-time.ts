import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/**
 * Returns the time of the database's clock. Read it before a request to Discord: rows that were changed after this time
 * are newer than the response.
 */
export async function readTime(db: Queryable): Promise<Date> {
  const row = await db.maybeOne<{ now: Date }>(sql`select clock_now() as now`)
  return row?.now as Date
}
