import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The webhook to which the events of a project are sent. */
export interface EndpointRow {
  readonly url: string | null
  /** The time at which delivery was disabled, or null. */
  readonly disabledAt: Date | null
  readonly hasSecret: boolean
}

/** Returns the address for events, or undefined if the project never had one. */
export const findEndpoint = (db: Queryable, projectId: string) =>
  db.maybeOne<EndpointRow>(sql`
    select url, disabled_at as "disabledAt", secret_sealed is not null as "hasSecret"
    from event_endpoints where project_id = ${projectId}`)

/** Sets the address for events, and enables delivery. A trigger ends the pauses that the previous address caused. */
export const storeEventsUrl = (tx: Tx, projectId: string, url: string | null) =>
  tx.execute(sql`
    insert into event_endpoints (project_id, url) values (${projectId}, ${url})
    on conflict (project_id) do update set url = excluded.url, disabled_at = null`)

/**
 * Replaces the signing secret. During the grace period, events are also signed with the previous secret. Returns the
 * end of this period.
 */
export const storeNewSecret = (tx: Tx, projectId: string, secretSealed: Uint8Array, graceSec: number) =>
  tx.maybeOne<{ formerEndsAt: Date | null }>(sql`
    insert into event_endpoints as e (project_id, secret_sealed) values (${projectId}, ${secretSealed})
    on conflict (project_id) do update set secret_sealed = excluded.secret_sealed,
      former_secret_sealed = case when ${graceSec} > 0 then e.secret_sealed end,
      former_secret_until = case when ${graceSec} > 0 and e.secret_sealed is not null
        then clock_now() + make_interval(secs => ${graceSec}::float8) end
    returning former_secret_until as "formerEndsAt"`)
