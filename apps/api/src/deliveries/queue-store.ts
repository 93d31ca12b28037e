import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { isSettled, isWaiting, type ReceiverClaim } from './claim-store.ts'
import type { Attempt, DeliveryKind, Message } from './kind.ts'

/** The maximum number of messages that one statement reads. */
export const batchSize = 100
/** The maximum number of messages that one statement marks as given up. */
const maxGivenUp = 1_000

/** A position in the queue of a receiver: the transaction, and the order within it. */
export interface Position {
  readonly xid: string
  readonly place: number
}

/** A message that was neither delivered nor given up. */
export interface WaitingMessage extends Message {
  /** False until the time of its next attempt. Later messages with the same ordering key wait for it. */
  readonly isDue: boolean
  /** True if it has waited longer than its kind permits. */
  readonly isStale: boolean
}

/**
 * Lists the waiting messages after a position, in order. Messages after the oldest transaction in progress are left
 * out, because an earlier message could still be committed.
 */
export const listWaiting = (
  db: Queryable,
  { kind, projectId }: ReceiverClaim,
  { ordering, maxWaitHours }: Pick<DeliveryKind, 'ordering' | 'maxWaitHours'>,
  after: Position,
) =>
  db.query<WaitingMessage>(sql`
    select d.id, d.xid::text as xid, d.place, d.member_id as "memberId", d.type,
      (d.data || jsonb_build_object('at', iso(d.created_at)))::text as data, iso(d.created_at) as at,
      floor(extract(epoch from d.created_at))::float8 as "atSec", d.attempts,
      d.next_attempt_at <= clock_now() as "isDue",
      coalesce(d.queued_at <= clock_now() - ${maxWaitHours ?? null}::float8 * interval '1 hour', false) as "isStale"
    from deliveries d
    where d.kind = ${kind} and d.project_id = ${projectId} and ${isWaiting}
      and (d.xid, d.place) > (${after.xid}::xid8, ${after.place}::bigint) and ${isSettled(sql`d.xid`)}
      and (${ordering !== 'none'} or d.next_attempt_at <= clock_now())
    order by d.xid, d.place limit ${batchSize}`)

const attempted = ({ status, error }: Attempt): Sql =>
  sql`attempts = attempts + 1, last_attempt_at = clock_now(), last_status = ${status}, last_error = ${error}`

/**
 * Records that a message was delivered, or that it never will be, because its outcome is `refused` or `gone`. This is
 * recorded even if the claim was lost, because the message was sent. The receiver is updated only while the claim is
 * valid, and only if something changes.
 */
export const recordFinalAttempt = (
  db: Queryable,
  receiverClaim: ReceiverClaim,
  id: string,
  attempt: Attempt,
  { isSlow, pauseMs }: { isSlow: boolean; pauseMs: number },
) =>
  db.execute(sql`
    with updated as (
      update receivers set failures = 0, failing_since = null, is_slow = ${isSlow},
        next_attempt_at = greatest(next_attempt_at, clock_now() + make_interval(secs => ${pauseMs / 1_000}::float8))
      where kind = ${receiverClaim.kind} and project_id = ${receiverClaim.projectId} and claim = ${receiverClaim.claim}
        and (failures > 0 or is_slow <> ${isSlow} or ${pauseMs > 0})
    )
    update deliveries d set ${attempted(attempt)},
      ${attempt.outcome === 'delivered' ? sql`delivered_at` : sql`failed_at`} = clock_now()
    where d.id = ${id} and ${isWaiting}`)

/** The result of the check for failures that last too long, of a message or of its receiver. */
export interface Failing {
  /** True if the message was queued at least 24 hours ago, no matter how long it waited behind others. */
  readonly isMessageLate: boolean
  /** True if the receiver has failed for at least 24 hours, and has neither accepted nor refused any message since. */
  readonly isReceiverSilent: boolean
}

/**
 * Schedules the next attempt of a message, and pauses its receiver for `receiverMs`. Messages that fail at the same
 * time count as one failure of the receiver. If the claim was lost, nothing is paused, because the project may have a
 * new address.
 */
export const recordFailedAttempt = (
  tx: Tx,
  receiverClaim: ReceiverClaim,
  id: string,
  attempt: Attempt,
  pauses: { messageMs: number; receiverMs: number },
) =>
  tx.maybeOne<Failing>(sql`
    with paused as (
      update receivers set failures = case when next_attempt_at > clock_now() then failures else failures + 1 end,
        failing_since = coalesce(failing_since, clock_now()),
        next_attempt_at = greatest(next_attempt_at,
          clock_now() + make_interval(secs => ${pauses.receiverMs / 1_000}::float8))
      where kind = ${receiverClaim.kind} and project_id = ${receiverClaim.projectId} and claim = ${receiverClaim.claim}
      returning failing_since <= clock_now() - interval '24 hours' as "isReceiverSilent"
    ), settled as (
      update deliveries d set ${attempted(attempt)},
        next_attempt_at = clock_now() + case when exists (select from paused)
          then make_interval(secs => ${pauses.messageMs / 1_000}::float8) else interval '0' end
      where d.id = ${id} and ${isWaiting}
      returning queued_at <= clock_now() - interval '24 hours' as "isMessageLate"
    )
    select coalesce((select "isReceiverSilent" from paused), false) as "isReceiverSilent",
      coalesce((select "isMessageLate" from settled), false) as "isMessageLate"`)

/** Gives up these messages, and returns their number. */
export const giveUp = (db: Queryable, ids: readonly string[], error: string) =>
  db.execute(sql`
    update deliveries d set failed_at = clock_now(), last_error = ${error}
    where d.id = any(${ids}::uuid[]) and ${isWaiting}`)

/**
 * Gives up the messages that have waited for this many hours, and returns their number. If `error` is null, each keeps
 * the error of its last attempt.
 */
export const giveUpOlder = (
  tx: Tx,
  { kind, projectId }: ReceiverClaim,
  hours: number,
  error: string | null,
) =>
  tx.execute(sql`
    update deliveries set failed_at = clock_now(), last_error = coalesce(${error}, last_error) where id in (
      select d.id from deliveries d
      where d.kind = ${kind} and d.project_id = ${projectId} and ${isWaiting}
        and d.queued_at <= clock_now() - ${hours}::float8 * interval '1 hour'
      order by d.xid, d.place limit ${maxGivenUp})`)
