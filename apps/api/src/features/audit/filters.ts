import type { audit } from '@rolecall/contract'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { periodConditions, readPeriod } from '#platform/http/period'

/**
 * The filters of the audit log as one condition.
 * @throws VALIDATION_FAILED when the period ends before it begins
 */
export function auditCondition(query: audit.AuditQuery): Sql {
  const { actorId, actionType, severity } = query
  const conditions = periodConditions(readPeriod(query, 'dateFrom', 'dateTo'))
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`)
  if (actionType !== undefined) conditions.push(sql`action_type = ${actionType}`)
  if (severity !== undefined) conditions.push(sql`severity = ${severity}`)
  return allOf(conditions)
}
