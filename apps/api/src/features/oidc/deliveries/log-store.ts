import type { logoutDeliveries } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { DeliveryStateRow } from '../../delivery-state.ts'

/** A project, and where its client is told of logouts now. */
export const findClientToTell = (db: Queryable, projectId: string) =>
  db.maybeOne<{ id: string; name: string; uri: string | null }>(sql`
    select p.id, p.name, case when c.enabled then c.backchannel_logout_uri end as uri
    from projects p left join oidc_clients c on c.project_id = p.id
    where p.id = ${projectId} and p.deleted_at is null`)

export interface LogoutDeliveryRow extends DeliveryStateRow {
  readonly id: string
  readonly projectId: string
  readonly sessionId: string
  readonly memberId: string
  readonly uri: string
}

const selectDeliveries = (where: Sql, page: Sql) => sql`
  select id, project_id as "projectId", session_id as "sessionId", member_id as "memberId", uri, attempts,
    created_at as "createdAt", last_attempt_at as "lastAttemptAt", last_status as "lastStatus", last_error as "lastError",
    case when delivered_at is null and failed_at is null then next_attempt_at end as "nextAttemptAt",
    delivered_at as "deliveredAt", failed_at as "failedAt"
  from oidc_logouts where ${where} order by created_at desc, id desc ${page}`

const ofStatus: Readonly<Record<logoutDeliveries.LogoutDeliveryStatus, Sql>> = {
  pending: sql`delivered_at is null and failed_at is null`,
  delivered: sql`delivered_at is not null`,
  failed: sql`failed_at is not null`,
}

export interface LogoutDeliveryFilter {
  readonly projectId: string
  readonly status?: logoutDeliveries.LogoutDeliveryStatus | undefined
  /** The page begins after this one. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A page of what a client was told, newest first. */
export function listLogouts(db: Queryable, { projectId, status, cursor, limit }: LogoutDeliveryFilter) {
  const conditions = [sql`project_id = ${projectId}`]
  if (status) conditions.push(ofStatus[status])
  if (cursor) {
    conditions.push(sql`(created_at, id) < (
      select c.created_at, c.id from oidc_logouts c where c.id = ${cursor} and c.project_id = ${projectId})`)
  }
  return db.query<LogoutDeliveryRow>(selectDeliveries(allOf(conditions), sql`limit ${limit}`))
}

export const findLogout = (db: Queryable, projectId: string, id: string) =>
  db.maybeOne<LogoutDeliveryRow>(selectDeliveries(sql`id = ${id} and project_id = ${projectId}`, sql``))

/** Lets a logout that is over wait again, with a day of its own; 0 when it is not over. */
export const requeueLogout = (tx: Tx, id: string, uri: string) =>
  tx.execute(sql`
    update oidc_logouts set uri = ${uri}, attempts = 0, queued_at = clock_now(), next_attempt_at = clock_now(),
      delivered_at = null, failed_at = null
    where id = ${id} and (delivered_at is not null or failed_at is not null)`)
