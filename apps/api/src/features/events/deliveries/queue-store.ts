import type { Queryable, Tx } from '#platform/db/database'
import { ownHorizon } from '#platform/db/own-horizon'
import { type Sql, sql } from '#platform/db/sql'
import type { Position } from '../position.ts'

/** How long a claim holds without another sign of life. An event takes 10 s at most, and its statements 2 s each. */
const lease = sql`interval '30 seconds'`
/** Rows that one statement settles at most. */
const batchSize = 1_000

/** Everything before this transaction is finished. The table of locks is read only where the snapshot alone says no. */
const isSettled = (xid: Sql) => sql`(${xid} < pg_snapshot_xmin(pg_current_snapshot())
  or ${xid} < (select ${ownHorizon} from pg_current_snapshot() s))`

const isWaiting = sql`d.delivered_at is null and d.failed_at is null`

/**
 * Claims endpoints for which an event waits, that nobody holds, and whose pause is over. Those in trouble, which failed
 * or took long when they were last asked, are claimed apart from the others.
 */
export const claimEndpoints = (db: Queryable, claim: string, limit: number, isInTrouble: boolean) =>
  db.query<{ projectId: string }>(sql`
    with recursive waiting as (
      (select d.project_id, d.xid from event_deliveries d where ${isWaiting}
        order by d.project_id, d.xid, d.event_id limit 1)
      union all
      select n.project_id, n.xid from waiting w cross join lateral (
        select d.project_id, d.xid from event_deliveries d where ${isWaiting} and d.project_id > w.project_id
        order by d.project_id, d.xid, d.event_id limit 1) n
    ), due as (
      select e.project_id from waiting w join event_endpoints e on e.project_id = w.project_id
      where ${isSettled(sql`w.xid`)}
        and (e.claimed_until is null or e.claimed_until <= clock_now()) and e.next_attempt_at <= clock_now()
        and (e.failures > 0 or e.is_slow) = ${isInTrouble}
      order by e.next_attempt_at, e.project_id limit ${limit} for update of e skip locked
    )
    update event_endpoints e set claim = ${claim}::uuid, claimed_until = clock_now() + ${lease}
    from due where e.project_id = due.project_id
    returning e.project_id as "projectId"`)

/** An endpoint, as long as it is held under this claim. */
export interface Held {
  readonly projectId: string
  readonly claim: string
}

export interface Endpoint {
  readonly projectName: string
  /** Null where nothing may be sent: no address, or switched off. */
  readonly url: string | null
  readonly secretSealed: Uint8Array | null
  /** As long as it signs, too. */
  readonly formerSecretSealed: Uint8Array | null
  readonly failures: number
  readonly nowSec: number
}

/** The endpoint, with the claim held for longer; undefined when the claim is lost. */
export const holdEndpoint = (db: Queryable, { projectId, claim }: Held) =>
  db.maybeOne<Endpoint>(sql`
    update event_endpoints e set claimed_until = clock_now() + ${lease}
    from projects p where p.id = e.project_id and e.project_id = ${projectId} and e.claim = ${claim}
    returning p.name as "projectName", case when e.disabled_at is null then e.url end as url,
      e.secret_sealed as "secretSealed",
      case when e.former_secret_until > clock_now() then e.former_secret_sealed end as "formerSecretSealed",
      e.failures, extract(epoch from clock_now())::float8 as "nowSec"`)

/** An event that waits. */
export interface WaitingEvent {
  readonly eventId: number
  readonly xid: string
  readonly atSec: number
  readonly memberId: string | null
  readonly type: string
  /** JSON. */
  readonly data: string
  readonly at: string
  readonly attempts: number
  /** False while it waits for its next try: so do the later ones of its member. */
  readonly isDue: boolean
  /** Has waited for so long that it is not sent any more. */
  readonly isTooOld: boolean
}

/** The events that wait behind a position, in order, up to the oldest transaction that is under way. */
export const listWaiting = (db: Queryable, projectId: string, { xid, id }: Position, limit: number) =>
  db.query<WaitingEvent>(sql`
    select d.event_id as "eventId", d.xid::text as xid, floor(extract(epoch from d.created_at))::float8 as "atSec",
      d.member_id as "memberId", d.type, (d.data || jsonb_build_object('at', iso(d.created_at)))::text as data,
      iso(d.created_at) as at, d.attempts, d.next_attempt_at <= clock_now() as "isDue",
      d.queued_at <= clock_now() - interval '72 hours' as "isTooOld"
    from event_deliveries d
    where d.project_id = ${projectId} and ${isWaiting} and (d.xid, d.event_id) > (${`${xid}`}::xid8, ${id}::bigint)
      and ${isSettled(sql`d.xid`)}
    order by d.xid, d.event_id limit ${limit}`)

/** Gives an endpoint back, to the end of the line. Where there was nothing to do yet, it is not looked at for a second. */
export const releaseEndpoint = (db: Queryable, { projectId, claim }: Held, wasIdle: boolean) =>
  db.execute(sql`
    update event_endpoints set claim = null, claimed_until = null,
      next_attempt_at = greatest(next_attempt_at,
        clock_now() + case when ${wasIdle} then interval '1 second' else interval '0' end)
    where project_id = ${projectId} and claim = ${claim}`)

/** What a try said. */
export interface Try {
  readonly status: number | null
  readonly error: string | null
}

const tried = ({ status, error }: Try): Sql =>
  sql`attempts = attempts + 1, last_attempt_at = clock_now(), last_status = ${status}, last_error = ${error}`

/**
 * An event is settled by whoever sent it, also when the claim was lost meanwhile: it was sent. The endpoint is only
 * touched by its holder, and only where something about it changes.
 */
export const settleDelivered = (db: Queryable, held: Held, eventId: number, done: Try, isSlow: boolean) =>
  db.execute(sql`
    with settled as (
      update event_deliveries set delivered_at = clock_now(), ${tried(done)}
      where event_id = ${eventId} and delivered_at is null and failed_at is null
    )
    update event_endpoints set failures = 0, failing_since = null, is_slow = ${isSlow},
      claimed_until = clock_now() + ${lease}
    where project_id = ${held.projectId} and claim = ${held.claim}
      and (failures > 0 or is_slow <> ${isSlow} or claimed_until < clock_now() + interval '20 seconds')`)

/** An event that is given up: the others go on. */
export const settleFailed = (tx: Tx, eventId: number, done: Try) =>
  tx.execute(sql`
    update event_deliveries set failed_at = clock_now(), ${tried(done)}
    where event_id = ${eventId} and delivered_at is null and failed_at is null`)

export interface Failing {
  /** The event has been tried for a day. */
  readonly isEventOver: boolean
  /** The receiver has taken nothing for a day. */
  readonly isEndpointOver: boolean
}

/**
 * A try in vain: the event and those of its member behind it wait, and so does the endpoint, for less long. Several that
 * fail at once count as one.
 */
export const settleLater = (
  tx: Tx,
  held: Held,
  eventId: number,
  done: Try,
  pauses: { eventMs: number; endpointMs: number },
) =>
  tx.maybeOne<Failing>(sql`
    with settled as (
      update event_deliveries set ${tried(done)},
        next_attempt_at = clock_now() + make_interval(secs => ${pauses.eventMs / 1_000}::float8)
      where event_id = ${eventId} and delivered_at is null and failed_at is null
      returning queued_at <= clock_now() - interval '24 hours' as "isEventOver"
    ), paused as (
      update event_endpoints set failures = case when next_attempt_at > clock_now() then failures else failures + 1 end,
        failing_since = coalesce(failing_since, clock_now()), claimed_until = clock_now() + ${lease},
        next_attempt_at = greatest(next_attempt_at,
          clock_now() + make_interval(secs => ${pauses.endpointMs / 1_000}::float8))
      where project_id = ${held.projectId} and claim = ${held.claim}
      returning failing_since <= clock_now() - interval '24 hours' as "isEndpointOver"
    )
    select coalesce((select "isEventOver" from settled), false) as "isEventOver",
      coalesce((select "isEndpointOver" from paused), false) as "isEndpointOver"`)

/** Ends what has waited for too long; returns how many. */
export const giveUpOld = (tx: Tx, projectId: string, error: string) =>
  tx.execute(sql`
    update event_deliveries set failed_at = clock_now(), last_error = ${error} where event_id in (
      select d.event_id from event_deliveries d where d.project_id = ${projectId} and ${isWaiting}
        and d.queued_at <= clock_now() - interval '72 hours'
      order by d.xid, d.event_id limit ${batchSize})`)

/** Ends what waits for an endpoint that nothing is sent to; returns how many. */
export const dropWaiting = (db: Queryable, projectId: string, error: string) =>
  db.execute(sql`
    update event_deliveries set failed_at = clock_now(), last_error = ${error} where event_id in (
      select d.event_id from event_deliveries d join event_endpoints e on e.project_id = d.project_id
      where d.project_id = ${projectId} and ${isWaiting} and (e.url is null or e.disabled_at is not null)
      order by d.xid, d.event_id limit ${batchSize})`)

/** Switches an endpoint off, if its address is still the one that was sent to. */
export const disableEndpoint = (tx: Tx, projectId: string, url: string) =>
  tx.execute(sql`
    update event_endpoints set disabled_at = clock_now(), failures = 0, failing_since = null, is_slow = false,
      next_attempt_at = clock_now()
    where project_id = ${projectId} and url = ${url} and disabled_at is null`)

/** Deletes what was delivered or given up of a person who is erased; what waits is still told, or a project never hears it. */
export const eraseDeliveries = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    delete from event_deliveries
    where member_id = ${memberId} and (delivered_at is not null or failed_at is not null)`)
