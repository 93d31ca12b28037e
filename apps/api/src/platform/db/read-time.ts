import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Returns the database's time: data written after it is newer than the answer to a request that is sent now. */
export async function readTime(db: Queryable): Promise<Date> {
  const row = await db.maybeOne<{ now: Date }>(sql`select clock_now() as now`)
  return row?.now as Date
}
