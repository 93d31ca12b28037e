import type { queues as contract } from '@rolecall/contract'
import { isWaiting } from '#deliveries/claim-store'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** The state of a queue. */
export interface QueueState {
  /** The number of waiting rows, counted up to `most`. */
  readonly rows: number
  readonly oldestSeconds: number
}

/** The maximum count, so that the statement stays fast. An operator need not know how much longer the queue is. */
const most = 100_000

/**
 * The queries for the queues in the database, by name. Each selects `created_at`, the time at which a row began to
 * wait. To add a queue, add a query here and its name to the contract. Metrics, dashboard, alerts, and console then
 * include it.
 */
const queues: Readonly<Record<contract.QueueName, Sql>> = {
  // Rows are kept for a day, for streams that reconnect. Older rows mean that housekeeping does not run.
  outbox: sql`select created_at from outbox limit ${most}`,
  notifications: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'notice' and ${isWaiting} limit ${most}`,
  // Does not count events that wait for a failing receiver. The project has to fix its receiver, and is notified.
  event_deliveries: sql`
    select d.queued_at as created_at
    from deliveries d left join receivers r on r.kind = d.kind and r.project_id = d.project_id
    where d.kind = 'event' and ${isWaiting} and d.attempts = 0 and coalesce(r.failures, 0) = 0 limit ${most}`,
  // A client should receive a logout token within a second. If it was not tried yet, the service causes the delay. If
  // it was tried, the client causes it, so these logouts are a queue of their own.
  oidc_logouts: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts = 0 limit ${most}`,
  oidc_logouts_refused: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts > 0 limit ${most}`,
  // A running sync updates `beat_at` continually, so an old one means that the sync hangs.
  member_syncs: sql`select beat_at as created_at from member_syncs where finished_at is null limit ${most}`,
}

/** Reads the state of all queues, with one statement. */
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
