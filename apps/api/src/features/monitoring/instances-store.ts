import { uuidv7 } from '#platform/crypto/uuid'
import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The report of a running instance. */
interface Sign {
  readonly id: string
  readonly version: string
  readonly uptimeMs: number
  readonly leadsGateway: boolean
}

/**
 * Records that an instance is running. All times are by the database's clock, because the clocks of machines differ. So
 * the start is computed from the uptime.
 */
export const writeHeartbeat = (db: Queryable, { id, version, uptimeMs, leadsGateway }: Sign) =>
  db.execute(sql`
    insert into instances (id, version, started_at, last_seen_at, leads_gateway)
    values (${id}, ${version}, clock_now() - ${uptimeMs}::float8 * interval '1 millisecond', clock_now(),
      ${leadsGateway})
    on conflict (id) do update set last_seen_at = excluded.last_seen_at,
      leads_gateway = excluded.leads_gateway`)

/**
 * Writes a mebibyte, which does not fit into the existing pages of the table, so that PostgreSQL needs disk space.
 * This shows whether writes are possible. Call it only in a transaction that is rolled back.
 */
export const writeMebibyte = (db: Queryable) =>
  db.execute(sql`
    insert into instances (id, version, started_at, last_seen_at, leads_gateway)
    select ${uuidv7()}::uuid, string_agg(md5(random()::text), ''), clock_now(), clock_now(), false
    from generate_series(1, 32768)`)

export const removeInstance = (db: Queryable, id: string) =>
  db.execute(sql`delete from instances where id = ${id}`)

/** A running instance. */
export interface InstanceRow {
  readonly id: string
  readonly version: string
  readonly startedAt: Date
  readonly lastSeenAt: Date
  readonly leadsGateway: boolean
}

/**
 * Lists the instances that reported within the last minute. An instance that was killed stays in the list that long.
 */
export const listInstances = (db: Queryable) =>
  db.query<InstanceRow>(sql`
    select id, version, started_at as "startedAt", last_seen_at as "lastSeenAt",
      leads_gateway as "leadsGateway"
    from instances where last_seen_at > clock_now() - interval '1 minute'
    order by started_at, id limit 200`)
