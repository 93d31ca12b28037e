import type { Queryable } from '#platform/db/database'
import { ownHorizon } from '#platform/db/own-horizon'
import { type Sql, sql } from '#platform/db/sql'
import type { KindName } from './kind.ts'

/** The duration of a claim that is not renewed. If an instance is killed, another one takes over after this time. */
const claimDuration = sql`interval '15 seconds'`

/** A condition that is true for messages that were neither delivered nor given up. */
export const isWaiting = sql`d.delivered_at is null and d.failed_at is null`

/**
 * A condition that is true if every transaction older than `xid` has ended. Then no message with an earlier position
 * can still be committed. The table of locks is read only if the snapshot alone cannot decide.
 */
export const isSettled = (xid: Sql) => sql`(${xid} < pg_snapshot_xmin(pg_current_snapshot())
  or ${xid} < (select ${ownHorizon} from pg_current_snapshot() s))`

/** A receiver, and the claim that an instance has on it. */
export interface ReceiverClaim {
  readonly kind: KindName
  readonly projectId: string
  readonly claim: string
}

/** A receiver that was just claimed. It is troubled if its last attempt failed or was slow. */
export interface ClaimedReceiver {
  readonly kind: KindName
  readonly projectId: string
  readonly failures: number
  readonly isTroubled: boolean
}

interface ClaimRequest {
  readonly claim: string
  readonly kinds: readonly KindName[]
  /** The maximum number of receivers to claim that respond quickly. */
  readonly prompt: number
  /** The maximum number of receivers to claim that have failed or were slow. */
  readonly troubled: number
}

/**
 * Claims receivers that have a message to send. `waiting` jumps from receiver to receiver in the index, and reads only
 * the first message of each. So the cost depends on the number of receivers, and not on the number of messages. The
 * write checks the conditions again: if two instances compete for a receiver, exactly one of them claims it.
 */
export const claimReceivers = (db: Queryable, { claim, kinds, prompt, troubled }: ClaimRequest) =>
  db.query<ClaimedReceiver>(sql`
    with recursive waiting as (
      (select d.kind, d.project_id, d.xid from deliveries d where ${isWaiting}
        order by d.kind, d.project_id, d.xid, d.place limit 1)
      union all
      select n.kind, n.project_id, n.xid from waiting w cross join lateral (
        select d.kind, d.project_id, d.xid from deliveries d
        where ${isWaiting} and (d.kind, d.project_id) > (w.kind, w.project_id)
        order by d.kind, d.project_id, d.xid, d.place limit 1) n
    ), due as (
      select w.kind, w.project_id, r.next_attempt_at, coalesce(r.failures > 0 or r.is_slow, false) as is_troubled
      from waiting w left join receivers r on r.kind = w.kind and r.project_id = w.project_id
      where w.kind = any(${kinds}::text[]) and ${isSettled(sql`w.xid`)}
        and (r.claimed_until is null or r.claimed_until <= clock_now())
        and (r.next_attempt_at is null or r.next_attempt_at <= clock_now())
        and exists (
          select from deliveries d where d.kind = w.kind and d.project_id = w.project_id and ${isWaiting}
            and d.next_attempt_at <= clock_now())
    ), ranked as (
      select d.*, row_number() over (
        partition by d.is_troubled order by d.next_attempt_at nulls first, d.project_id) as rank
      from due d
    )
    insert into receivers as r (kind, project_id, claim, claimed_until)
    select kind, project_id, ${claim}::uuid, clock_now() + ${claimDuration} from ranked
    where rank <= case when is_troubled then ${troubled}::int else ${prompt}::int end order by kind, project_id
    on conflict (kind, project_id) do update set claim = excluded.claim, claimed_until = excluded.claimed_until
    where (r.claimed_until is null or r.claimed_until <= clock_now()) and r.next_attempt_at <= clock_now()
    returning r.kind, r.project_id as "projectId", r.failures, r.failures > 0 or r.is_slow as "isTroubled"`)

const matchesClaim = ({ kind, projectId, claim }: ReceiverClaim) =>
  sql`kind = ${kind} and project_id = ${projectId} and claim = ${claim}`

/** The current time of the database, in seconds since 1970. */
const nowSec = sql`extract(epoch from clock_now())::float8 as "nowSec"`

/** Returns the database's time while the claim is valid, or undefined if it was lost. */
export const findClaim = (db: Queryable, receiverClaim: ReceiverClaim) =>
  db.maybeOne<{ nowSec: number }>(sql`select ${nowSec} from receivers where ${matchesClaim(receiverClaim)}`)

/** Renews the claim, and returns the database's time. Returns undefined if the claim was lost. */
export const renewClaim = (db: Queryable, receiverClaim: ReceiverClaim) =>
  db.maybeOne<{ nowSec: number }>(sql`
    update receivers set claimed_until = clock_now() + ${claimDuration} where ${matchesClaim(receiverClaim)} returning ${nowSec}`)

/** Gives up the claim. With `isIdle`, nothing could be sent, so the receiver is not claimed again for a second. */
export const releaseClaim = (db: Queryable, receiverClaim: ReceiverClaim, isIdle: boolean) =>
  db.execute(sql`
    update receivers set claim = null, claimed_until = null,
      next_attempt_at = greatest(next_attempt_at,
        clock_now() + case when ${isIdle} then interval '1 second' else interval '0' end)
    where ${matchesClaim(receiverClaim)}`)
