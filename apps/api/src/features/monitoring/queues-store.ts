import type { queues as contract } from '@rolecall/contract'
import { isWaiting } from '#deliveries/claim-store'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

export interface QueueState {
  readonly rows: number
  readonly oldestSeconds: number
}

/** The maximum count: a longer queue is no worse. */
const most = 100_000

/**
 * The statements for the queues in the database, by name; each selects the `created_at` of the waiting rows. A new
 * queue is a new row here and in the contract; metrics, dashboard, alerts, and console read it from there.
 */
const queues: Readonly<Record<contract.QueueName, Sql>> = {
  // Kept for a day, for streams that reconnect; older rows mean that clean-up does not run.
  outbox: sql`select created_at from outbox limit ${most}`,
  notifications: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'notice' and ${isWaiting} limit ${most}`,
  // Skips events that wait for a failing receiver: the project must fix that, and is notified.
  event_deliveries: sql`
    select d.queued_at as created_at
    from deliveries d left join receivers r on r.kind = d.kind and r.project_id = d.project_id
    where d.kind = 'event' and ${isWaiting} and d.attempts = 0 and coalesce(r.failures, 0) = 0 limit ${most}`,
  // A client must receive a logout within a second. An untried logout is delayed by us, and a tried one by the client.
  oidc_logouts: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts = 0 limit ${most}`,
  oidc_logouts_refused: sql`
    select d.queued_at as created_at from deliveries d
    where d.kind = 'logout' and ${isWaiting} and d.attempts > 0 limit ${most}`,
  // The heartbeat of a running sync moves on.
  member_syncs: sql`select beat_at as created_at from member_syncs where finished_at is null limit ${most}`,
}

/** Reads all queues with one statement, so that an operator gets a response in time even from a distant database. */
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
