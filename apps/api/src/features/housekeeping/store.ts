import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** Rows that one statement deletes at most: a clean-up never holds up a request. */
const batchSize = 1_000

/**
 * What is deleted, and when. Used codes and dead sessions stay a while: a second use of either must still be
 * recognised for what it is.
 */
const expired: Readonly<Record<string, Sql>> = {
  auth_requests: sql`
    delete from auth_requests where id in (
      select id from auth_requests where expires_at < clock_now() - interval '1 hour' limit ${batchSize})`,
  authorization_codes: sql`
    delete from authorization_codes where digest in (
      select digest from authorization_codes where expires_at < clock_now() - interval '1 day' limit ${batchSize})`,
  sso_sessions: sql`
    delete from sso_sessions where id in (
      select id from sso_sessions where expires_at < clock_now() limit ${batchSize})`,
  sessions: sql`
    delete from sessions where id in (
      select id from sessions where expires_at < clock_now() - interval '7 days' limit ${batchSize})`,
  usage_minutes: sql`
    delete from usage_minutes where (minute, project_id, route, status) in (
      select minute, project_id, route, status from usage_minutes
      where minute < clock_now() - interval '30 days' order by minute limit ${batchSize})`,
  auth_failures: sql`
    delete from auth_failures where id in (
      select id from auth_failures where at < clock_now() - interval '30 days' order by at limit ${batchSize})`,
}

/** Deletes one batch of each kind of row that nobody needs any more; returns how many. */
export async function deleteExpired(db: Queryable): Promise<number> {
  let deleted = 0
  for (const statement of Object.values(expired)) deleted += await db.execute(statement)
  return deleted
}

/** The oldest transaction that is not finished: everything before it has been seen by whoever looks now. */
export const currentHorizon = (db: Queryable) =>
  db.maybeOne<{ horizon: string }>(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`)
