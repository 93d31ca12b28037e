import type { notifications } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { DeliveryStateRow } from '../delivery-state.ts'
import type { Notice } from './notice.ts'

/** Writes a notification for a project that has an address and is not deleted; 0 when it has none. */
/** Takes the name of whoever did something from the messages that say so. */
export const eraseName = (tx: Tx, username: string) =>
  tx.execute(sql`
    update notifications set text = left(text, -length(${` By ${username}.`}))
    where right(text, length(${` By ${username}.`})) = ${` By ${username}.`}`)

export const insertNotification = (tx: Tx, { id, projectId, type, text }: Notice & { id: string }) =>
  tx.execute(sql`
    insert into notifications (id, project_id, type, text)
    select ${id}::uuid, p.id, ${type}, ${text} from projects p
    where p.id = ${projectId} and p.webhook_url_sealed is not null and p.deleted_at is null`)

export const findProject = (db: Queryable, id: string) =>
  db.maybeOne<{ id: string; name: string; hasAddress: boolean }>(sql`
    select id, name, webhook_url_sealed is not null as "hasAddress"
    from projects where id = ${id} and deleted_at is null`)

export interface DeliveryRow extends DeliveryStateRow {
  readonly id: string
  readonly projectId: string
  readonly type: notifications.NotificationType
  readonly text: string
}

const selectDeliveries = (where: Sql, page: Sql) => sql`
  select n.id, n.project_id as "projectId", n.type, n.text, n.attempts, n.created_at as "createdAt",
    n.last_attempt_at as "lastAttemptAt", n.last_status as "lastStatus", n.last_error as "lastError",
    case when n.delivered_at is null and n.failed_at is null
      then greatest(q.next_attempt_at, n.queued_at) end as "nextAttemptAt",
    n.delivered_at as "deliveredAt", n.failed_at as "failedAt"
  from notifications n left join notification_queues q on q.project_id = n.project_id
  where ${where} order by n.created_at desc, n.id desc ${page}`

const ofStatus: Readonly<Record<notifications.DeliveryStatus, Sql>> = {
  pending: sql`n.delivered_at is null and n.failed_at is null`,
  delivered: sql`n.delivered_at is not null`,
  failed: sql`n.failed_at is not null`,
}

export interface DeliveryFilter {
  readonly projectId: string
  readonly status?: notifications.DeliveryStatus | undefined
  /** The delivery after which the page begins. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A page of a project's deliveries, newest first. */
export function listDeliveries(db: Queryable, { projectId, status, cursor, limit }: DeliveryFilter) {
  const conditions = [sql`n.project_id = ${projectId}`]
  if (status) conditions.push(ofStatus[status])
  if (cursor) {
    conditions.push(sql`(n.created_at, n.id) < (
      select c.created_at, c.id from notifications c where c.id = ${cursor} and c.project_id = ${projectId})`)
  }
  return db.query<DeliveryRow>(selectDeliveries(allOf(conditions), sql`limit ${limit}`))
}

export const findDelivery = (db: Queryable, projectId: string, id: string) =>
  db.maybeOne<DeliveryRow>(selectDeliveries(sql`n.id = ${id} and n.project_id = ${projectId}`, sql``))

/** Puts a delivery that is over at the end of the queue; 0 when it is not over. */
export const requeueDelivery = (tx: Tx, id: string) =>
  tx.execute(sql`
    update notifications set place = default, queued_at = clock_now(), delivered_at = null, failed_at = null
    where id = ${id} and (delivered_at is not null or failed_at is not null)`)

/** How many messages wait, and how long the oldest has. */
export const readBacklog = (db: Queryable) =>
  db.maybeOne<{ pending: number; oldestAgeSec: number | null }>(sql`
    select count(*) as pending, extract(epoch from clock_now() - min(queued_at))::float8 as "oldestAgeSec"
    from notifications where delivered_at is null and failed_at is null`)
