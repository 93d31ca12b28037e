import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import { type Line, problem } from './line.ts'

/**
 * Checks that the database's clock is not behind its own records. After it was set back, new sessions are older than the
 * access that they need, and are not valid until the clock reaches the time of that access again.
 */
export async function clockLines(db: Queryable): Promise<Line[]> {
  const [found] = await db.query<{ until: Date | null }>(sql`
    select max(since) as until from (
      select greatest(active_since, internal_since) from projects where deleted_at is null
      union all select readable_since from server_access where can_read
      union all select main_since from servers where removed_at is null
      union all select enabled_since from oidc_clients where enabled) x (since)
    where since > clock_now() + interval '1 second'`)
  if (!found?.until) return []
  return [
    problem(
      `The clock of the database was set back: a change has the time ${found.until.toISOString()}. Until then, new sessions ` +
        'of the projects that it concerns are not valid. Correct the clock of the database server, or wait.',
    ),
  ]
}
