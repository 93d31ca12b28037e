import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

export interface QueueState {
  readonly rows: number
  readonly oldestSeconds: number
}

/** Counting stops here: more is as bad. */
const most = 100_000

/**
 * What waits in the database, by name: each a statement that answers the `created_at` of what waits. A new queue is
 * a new row; metrics, dashboard and alerts take it from there.
 */
const queues: Readonly<Record<string, Sql>> = {
  // Kept for a day, for streams that reconnect; more than that means that nobody cleans it.
  outbox: sql`select created_at from outbox limit ${most}`,
  notifications: sql`
    select queued_at as created_at from notifications
    where delivered_at is null and failed_at is null limit ${most}`,
}

export async function readQueues(db: Queryable): Promise<Map<string, QueueState>> {
  const found = new Map<string, QueueState>()
  for (const [name, waiting] of Object.entries(queues)) {
    const state = await db.maybeOne<QueueState>(sql`
      select count(*) as rows,
        coalesce(extract(epoch from clock_now() - min(created_at)), 0)::float8 as "oldestSeconds"
      from (${waiting}) waiting`)
    if (state) found.set(name, state)
  }
  return found
}
