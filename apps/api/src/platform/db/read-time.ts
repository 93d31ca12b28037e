import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** The database's time: what is written after it is newer than the answer to a question that is asked now. */
export async function readTime(db: Queryable): Promise<Date> {
  const row = await db.maybeOne<{ now: Date }>(sql`select clock_now() as now`)
  return row?.now as Date
}
