import type { eventDeliveries } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { DeliveryStateRow } from '../../delivery-state.ts'
import type { Position } from '../position.ts'

export const findReceiver = (db: Queryable, projectId: string) =>
  db.maybeOne<{ id: string; name: string; isOn: boolean }>(sql`
    select p.id, p.name, coalesce(e.url is not null and e.disabled_at is null, false) as "isOn"
    from projects p left join event_endpoints e on e.project_id = p.id
    where p.id = ${projectId} and p.deleted_at is null`)

export interface EventDeliveryRow extends DeliveryStateRow {
  readonly eventId: number
  readonly xid: string
  readonly atSec: number
  readonly projectId: string
  readonly type: eventDeliveries.EventDelivery['type']
  readonly memberId: string | null
}

const selectDeliveries = (where: Sql, page: Sql) => sql`
  select d.event_id as "eventId", d.xid::text as xid, floor(extract(epoch from d.created_at))::float8 as "atSec",
    d.project_id as "projectId", d.type, d.member_id as "memberId", d.attempts, d.created_at as "createdAt",
    d.last_attempt_at as "lastAttemptAt", d.last_status as "lastStatus", d.last_error as "lastError",
    case when d.delivered_at is null and d.failed_at is null
      then greatest(d.next_attempt_at, e.next_attempt_at) end as "nextAttemptAt",
    d.delivered_at as "deliveredAt", d.failed_at as "failedAt"
  from event_deliveries d left join event_endpoints e on e.project_id = d.project_id
  where ${where} order by d.xid desc, d.event_id desc ${page}`

const ofStatus: Readonly<Record<eventDeliveries.EventDeliveryStatus, Sql>> = {
  pending: sql`d.delivered_at is null and d.failed_at is null`,
  delivered: sql`d.delivered_at is not null`,
  failed: sql`d.failed_at is not null`,
}

export interface EventDeliveryFilter {
  readonly projectId: string
  readonly status?: eventDeliveries.EventDeliveryStatus | undefined
  /** The page begins after this one. */
  readonly before?: Position | undefined
  readonly limit: number
}

/** A page of what was sent to a project, newest first. */
export function listEventDeliveries(
  db: Queryable,
  { projectId, status, before, limit }: EventDeliveryFilter,
) {
  const conditions = [sql`d.project_id = ${projectId}`]
  if (status) conditions.push(ofStatus[status])
  if (before) conditions.push(sql`(d.xid, d.event_id) < (${`${before.xid}`}::xid8, ${before.id}::bigint)`)
  return db.query<EventDeliveryRow>(selectDeliveries(allOf(conditions), sql`limit ${limit}`))
}

export const findEventDelivery = (db: Queryable, projectId: string, { xid, id }: Position) =>
  db.maybeOne<EventDeliveryRow>(
    selectDeliveries(
      sql`d.event_id = ${id} and d.xid = ${`${xid}`}::xid8 and d.project_id = ${projectId}`,
      sql``,
    ),
  )

/** Lets a delivery that is over wait again, with a day of its own; 0 when it is not over. */
export const requeueEvent = (tx: Tx, { id }: Position) =>
  tx.execute(sql`
    update event_deliveries set queued_at = clock_now(), next_attempt_at = clock_now(), delivered_at = null, failed_at = null
    where event_id = ${id} and (delivered_at is not null or failed_at is not null)`)
