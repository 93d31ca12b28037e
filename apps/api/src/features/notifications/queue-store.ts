import type { notifications } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * How long a claim holds without another sign of life. A message takes 5 s at most, and its statements 2 s
 * each; whoever was killed is replaced after this time.
 */
const lease = sql`interval '15 seconds'`
/** Rows that one statement settles at most. */
const batchSize = 1_000

/**
 * Claims queues in which a message waits, that nobody holds, and whose pause is over or was about another
 * address; those in trouble last. The condition is repeated where the row is written: of two instances that
 * want the same queue exactly one gets it.
 */
export const claimQueues = (db: Queryable, claim: string, limit: number) =>
  db.query<{ projectId: string }>(sql`
    with recursive waiting as (
      (select project_id from notifications where delivered_at is null and failed_at is null
        order by project_id limit 1)
      union all
      select (select n.project_id from notifications n
        where n.delivered_at is null and n.failed_at is null and n.project_id > w.project_id
        order by n.project_id limit 1)
      from waiting w where w.project_id is not null
    ), due as (
      select w.project_id, sha256(p.webhook_url_sealed) as address
      from waiting w join projects p on p.id = w.project_id
      left join notification_queues q on q.project_id = w.project_id
      where q.project_id is null or ((q.claimed_until is null or q.claimed_until <= clock_now())
        and (q.next_attempt_at <= clock_now() or q.address is distinct from sha256(p.webhook_url_sealed)))
      order by coalesce(q.failures, 0) > 0, q.next_attempt_at nulls first, w.project_id limit ${limit}
    )
    insert into notification_queues as q (project_id, address, claim, claimed_until)
    select project_id, address, ${claim}::uuid, clock_now() + ${lease} from due order by project_id
    on conflict (project_id) do update set
      claim = excluded.claim, claimed_until = excluded.claimed_until, address = excluded.address,
      failures = case when q.address is distinct from excluded.address then 0 else q.failures end,
      failing_since = case when q.address is distinct from excluded.address then null else q.failing_since end
    where (q.claimed_until is null or q.claimed_until <= clock_now())
      and (q.next_attempt_at <= clock_now() or q.address is distinct from excluded.address)
    returning q.project_id as "projectId"`)

/** A queue, as long as it is held under this claim. */
export interface Held {
  readonly projectId: string
  readonly claim: string
}

export interface NextMessage {
  readonly id: string
  readonly type: notifications.NotificationType
  readonly text: string
  readonly createdAt: Date
  readonly projectName: string
  /** Null when the project was deleted or has no address any more. */
  readonly sealed: Uint8Array | null
  readonly host: string | null
  readonly failures: number
}

/** The first message of a queue, with the claim held for longer; undefined when there is none, or the claim is lost. */
export const takeNext = (db: Queryable, { projectId, claim }: Held) =>
  db.maybeOne<NextMessage>(sql`
    with held as (
      update notification_queues set claimed_until = clock_now() + ${lease}
      where project_id = ${projectId} and claim = ${claim} returning project_id, failures
    )
    select n.id, n.type, n.text, n.created_at as "createdAt", p.name as "projectName", h.failures,
      case when p.deleted_at is null then p.webhook_url_sealed end as sealed, p.webhook_url_host as host
    from held h join projects p on p.id = h.project_id
    join lateral (
      select * from notifications n
      where n.project_id = h.project_id and n.delivered_at is null and n.failed_at is null
      order by n.place limit 1) n on true`)

/** Gives a queue back. */
export const releaseQueue = (db: Queryable, { projectId, claim }: Held) =>
  db.execute(sql`
    update notification_queues set claim = null, claimed_until = null
    where project_id = ${projectId} and claim = ${claim}`)

/** What the last try said. */
export interface Try {
  readonly status: number | null
  readonly error: string | null
}

/**
 * A message is settled by whoever posted it, also when the claim was lost meanwhile: it was posted. The queue
 * is only touched by its holder.
 */
export const settleDelivered = (db: Queryable, held: Held, id: string, { status }: Try, pauseMs: number) =>
  db.execute(sql`
    with settled as (
      update notifications set delivered_at = clock_now(), attempts = attempts + 1,
        last_attempt_at = clock_now(), last_status = ${status}, last_error = null
      where id = ${id} and delivered_at is null and failed_at is null
    )
    update notification_queues set failures = 0, failing_since = null,
      next_attempt_at = clock_now() + make_interval(secs => ${pauseMs / 1_000}::float8)
    where project_id = ${held.projectId} and claim = ${held.claim}`)

/** A message that will never be taken: the others go on. */
export const settleFailed = (tx: Tx, held: Held, id: string, { status, error }: Try) =>
  tx.execute(sql`
    with settled as (
      update notifications set failed_at = clock_now(), attempts = attempts + 1,
        last_attempt_at = clock_now(), last_status = ${status}, last_error = ${error}
      where id = ${id} and delivered_at is null and failed_at is null
    )
    update notification_queues set failures = 0, failing_since = null, next_attempt_at = clock_now()
    where project_id = ${held.projectId} and claim = ${held.claim}`)

/** A try in vain: everything behind it waits too. Tells whether the address has failed for a day. */
export const settleLater = (tx: Tx, held: Held, id: string, { status, error }: Try, pauseMs: number) =>
  tx.maybeOne<{ isOver: boolean }>(sql`
    with tried as (
      update notifications set attempts = attempts + 1, last_attempt_at = clock_now(),
        last_status = ${status}, last_error = ${error}
      where id = ${id} and delivered_at is null and failed_at is null
    )
    update notification_queues set failures = failures + 1, failing_since = coalesce(failing_since, clock_now()),
      next_attempt_at = clock_now() + make_interval(secs => ${pauseMs / 1_000}::float8)
    where project_id = ${held.projectId} and claim = ${held.claim}
    returning failing_since <= clock_now() - interval '24 hours' as "isOver"`)

/** Ends what has waited for a day in a queue that failed for as long; returns how many. */
export const giveUpOld = (tx: Tx, projectId: string) =>
  tx.execute(sql`
    update notifications set failed_at = clock_now() where id in (
      select id from notifications where project_id = ${projectId} and delivered_at is null and failed_at is null
        and queued_at <= clock_now() - interval '24 hours'
      order by place limit ${batchSize})`)

/** Ends what waits in a queue that has no address any more. */
export const dropWaiting = (db: Queryable, projectId: string, error: string) =>
  db.execute(sql`
    update notifications set failed_at = clock_now(), last_error = ${error} where id in (
      select n.id from notifications n join projects p on p.id = n.project_id
      where n.project_id = ${projectId} and n.delivered_at is null and n.failed_at is null
        and (p.webhook_url_sealed is null or p.deleted_at is not null)
      order by n.place limit ${batchSize})`)

/** Takes the address off a project, if it is still the one that was posted to. */
export const removeAddress = (tx: Tx, projectId: string, sealed: Uint8Array) =>
  tx.execute(sql`
    update projects set webhook_url_sealed = null, webhook_url_host = null, updated_at = clock_now()
    where id = ${projectId} and webhook_url_sealed = ${sealed} and deleted_at is null`)
