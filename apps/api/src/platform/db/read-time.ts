import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/**
 * Returns the database's time. Read it before a request to the platform: rows with a later time are newer than the
 * response.
 */
export async function readTime(db: Queryable): Promise<Date> {
  const row = await db.maybeOne<{ now: Date }>(sql`select clock_now() as now`)
  return row?.now as Date
}
