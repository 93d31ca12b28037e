import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { KindName } from './kind.ts'
import type { Position } from './queue-store.ts'

/** Identifies a delivery by its ID. An event is identified by its position in the stream instead. */
export type DeliveryKey = { readonly id: string } | Position

/** Selects the deliveries of one kind to one project. */
export interface DeliveryScope {
  readonly kind: KindName
  readonly projectId: string
}

/** A delivery and its state. */
export interface DeliveryRow {
  readonly id: string
  readonly xid: string
  readonly place: number
  readonly atSec: number
  readonly projectId: string
  readonly memberId: string | null
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly attempts: number
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  readonly nextAttemptAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
}

const selectDeliveries = (where: Sql, page: Sql) => sql`
  select d.id, d.xid::text as xid, d.place, floor(extract(epoch from d.created_at))::float8 as "atSec",
    d.project_id as "projectId", d.member_id as "memberId", d.type, d.data, d.attempts, d.created_at as "createdAt",
    d.last_attempt_at as "lastAttemptAt", d.last_status as "lastStatus", d.last_error as "lastError",
    case when d.delivered_at is null and d.failed_at is null
      then greatest(d.next_attempt_at, r.next_attempt_at) end as "nextAttemptAt",
    d.delivered_at as "deliveredAt", d.failed_at as "failedAt"
  from deliveries d left join receivers r on r.kind = d.kind and r.project_id = d.project_id
  where ${where} order by d.xid desc, d.created_at desc, d.place desc ${page}`

const ofLog = ({ kind, projectId }: DeliveryScope) => sql`d.kind = ${kind} and d.project_id = ${projectId}`

const withState = {
  pending: sql`d.delivered_at is null and d.failed_at is null`,
  delivered: sql`d.delivered_at is not null`,
  failed: sql`d.failed_at is not null`,
}

/**
 * Selects the deliveries that are listed after this one. All messages of a transaction have the same time, so only the
 * position of an event determines its order.
 */
const before = (log: DeliveryScope, key: DeliveryKey): Sql =>
  'id' in key
    ? sql`(d.xid, d.created_at, d.place) < (
        select c.xid, c.created_at, c.place from deliveries c
        where c.id = ${key.id} and c.kind = ${log.kind} and c.project_id = ${log.projectId})`
    : sql`(d.xid, d.place) < (${key.xid}::xid8, ${key.place}::bigint)`

interface DeliveryPage {
  readonly status?: keyof typeof withState | undefined
  /** The delivery after which the page begins. */
  readonly after?: DeliveryKey | undefined
  readonly limit: number
}

/** Lists deliveries, newest first. */
export function listDeliveries(db: Queryable, log: DeliveryScope, { status, after, limit }: DeliveryPage) {
  const conditions = [ofLog(log)]
  if (status) conditions.push(withState[status])
  if (after) conditions.push(before(log, after))
  return db.query<DeliveryRow>(selectDeliveries(allOf(conditions), sql`limit ${limit}`))
}

/** Returns one delivery, or undefined. */
export function findDelivery(db: Queryable, log: DeliveryScope, key: DeliveryKey) {
  const hasKey =
    'id' in key ? sql`d.id = ${key.id}` : sql`d.xid = ${key.xid}::xid8 and d.place = ${key.place}::bigint`
  return db.maybeOne<DeliveryRow>(selectDeliveries(allOf([ofLog(log), hasKey]), sql``))
}

/**
 * Queues a delivery again, for another 24 hours. Returns 0 if it is still waiting. An event keeps its position in the
 * stream, and any other message goes to the end of the queue. A logout token is created anew, so its attempts are
 * counted from zero.
 */
export const requeueDelivery = (tx: Tx, id: string, replaced: Readonly<Record<string, unknown>> = {}) =>
  tx.execute(sql`
    update deliveries set data = data || ${JSON.stringify(replaced)}::jsonb, queued_at = clock_now(), next_attempt_at = clock_now(), delivered_at = null, failed_at = null,
      attempts = case when kind = 'logout' then 0 else attempts end,
      place = case when xid = '0' then nextval('delivery_places') else place end
    where id = ${id} and (delivered_at is not null or failed_at is not null)`)

/**
 * Deletes the deliveries about a member. A delivery that is still waiting is deleted when it ends, so that the project
 * is still notified of the deletion of the member.
 */
export const eraseDeliveries = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    with erased as (
      delete from deliveries where member_id = ${memberId} and (delivered_at is not null or failed_at is not null)
    )
    update deliveries set is_erased = true
    where member_id = ${memberId} and delivered_at is null and failed_at is null`)
