import type { audit } from '@rolecall/contract'
import { momentCursor, readMomentCursor } from '#platform/db/moment-cursor'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { periodConditions, readPeriod } from '#platform/http/period'

/**
 * Builds the condition for the filters of the audit log. `memberId` matches entries by a member and about them, while
 * `actorId` matches only entries by them.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
export function auditCondition(query: audit.AuditQuery): Sql {
  const { actorId, memberId, targetType, targetId, actionType, severity, search = '', cursor } = query
  const conditions = periodConditions(readPeriod(query, 'dateFrom', 'dateTo'))
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`)
  if (memberId !== undefined) conditions.push(sql`(actor_id = ${memberId} or target_id = ${memberId})`)
  if (targetType !== undefined) conditions.push(sql`target_type = ${targetType}`)
  if (targetId !== undefined) conditions.push(sql`target_id = ${targetId}`)
  if (actionType !== undefined) conditions.push(sql`action_type = ${actionType}`)
  if (severity !== undefined) conditions.push(sql`severity = ${severity}`)
  if (search !== '')
    conditions.push(
      sql`position(lower(${search}) in lower(concat_ws(' ', summary, target_name, action))) > 0`,
    )
  if (cursor !== undefined) {
    const { at, id: seq } = readMomentCursor(cursor)
    conditions.push(sql`(audit_log.at, audit_log.seq) < (${at}, ${seq}::bigint)`)
  }
  return allOf(conditions)
}

/** Returns the cursor of the page after this entry. */
export const cursorAfter = ({ at, seq }: { readonly at: Date; readonly seq: number }) =>
  momentCursor({ at, id: String(seq) })
