import type { audit } from '@rolecall/contract'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { invalid } from '#platform/http/router'

const dayMs = 86_400_000
const isDay = (text: string) => text.length === 10

/**
 * The filters of the audit log as one condition.
 * @throws VALIDATION_FAILED when the period ends before it begins
 */
export function auditCondition(query: audit.AuditQuery): Sql {
  const { dateFrom, dateTo, actorId, actionType, severity } = query
  const from = dateFrom === undefined ? undefined : momentOf(dateFrom)
  const to = dateTo === undefined ? undefined : endOf(dateTo)
  if (from && to && from > to) {
    throw invalid([{ path: '/dateTo', message: 'must not be before dateFrom', code: 'RANGE' }])
  }
  const conditions: Sql[] = []
  if (from) conditions.push(sql`at >= ${from.toISOString()}::timestamptz`)
  if (to) conditions.push(sql`at <= ${to.toISOString()}::timestamptz`)
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`)
  if (actionType !== undefined) conditions.push(sql`action_type = ${actionType}`)
  if (severity !== undefined) conditions.push(sql`severity = ${severity}`)
  return allOf(conditions)
}

/** ISO 8601 lets `t` and `z` be small; JavaScript does not. A date alone is its first moment in UTC. */
const momentOf = (text: string) => new Date(text.toUpperCase())

/** A date alone means the whole day. */
const endOf = (text: string) =>
  isDay(text) ? new Date(momentOf(text).getTime() + dayMs - 1) : momentOf(text)
