import type { queues as contract } from '@rolecall/contract'
import { isWaiting } from '#deliveries/claim-store'
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
 * a new row here and in the contract; metrics, dashboard, alerts and console take it from there.
 */
const queues: Readonly<Record<contract.QueueName, Sql>> = {
  // Kept for a day, for streams that reconnect; more than that means that nobody cleans it.
  outbox: sql`select created_at from outbox limit ${most}`,
  notifications: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'notice' and ${isWaiting} limit ${most}`,
  // Not what waits because its receiver fails: that is the project's to mend, and it is told.
  event_deliveries: sql`
    select d.queued_at as created_at
    from deliveries d left join receivers r on r.kind = d.kind and r.project_id = d.project_id
    where d.kind = 'event' and ${isWaiting} and d.attempts = 0 and coalesce(r.failures, 0) = 0 limit ${most}`,
  // A client has a second to hear of an end: what nobody has tried yet is late by us, and what was tried by the client.
  oidc_logouts: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts = 0 limit ${most}`,
  oidc_logouts_refused: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts > 0 limit ${most}`,
  // The sign of life of whoever reads them moves on.
  member_syncs: sql`select beat_at as created_at from member_syncs where finished_at is null limit ${most}`,
}

/** All in one statement: whoever watches must have an answer in time, also from a database that is far away. */
export async function readQueues(db: Queryable): Promise<Map<contract.QueueName, QueueState>> {
  const states = Object.entries(queues).map(
    ([name, waiting]) => sql`
      select ${name}::text as name, count(*) as rows,
        coalesce(extract(epoch from clock_now() - min(created_at)), 0)::float8 as "oldestSeconds"
      from (${waiting}) waiting`,
  )
  const rows = await db.query<QueueState & { readonly name: contract.QueueName }>(
    states.reduce((above, below) => sql`${above} union all ${below}`),
  )
  return new Map(rows.map(({ name, ...state }) => [name, state]))
}
