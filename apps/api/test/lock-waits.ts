import type { Queryable } from '../src/platform/db/database.ts'
import { sql } from '../src/platform/db/sql.ts'

/** Counts the connections to this PostgreSQL database that wait for a lock. */
export const countLockWaits = async (db: Queryable): Promise<number> =>
  (
    await db.query(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  ).length
