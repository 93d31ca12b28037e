import type { monitoring } from '@rolecall/contract'
import { nextMomentCursor, readMomentCursor } from '#platform/db/moment-cursor'
import { allOf, sql } from '#platform/db/sql'
import { periodConditions, readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import { countAuthFailures, listAuthFailures } from './read-store.ts'

/**
 * Lists one page of the rejected credentials, newest first. The total is null for a request with a cursor.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
export async function readAuthFailures({ db }: Pick<Deps, 'db'>, query: monitoring.AuthFailuresQuery) {
  const condition = conditionOf(query)
  const { limit = 50, offset = 0 } = query
  const [rows, total] = await Promise.all([
    listAuthFailures(db, condition, limit, offset),
    query.cursor === undefined ? countAuthFailures(db, condition) : null,
  ])
  return {
    data: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    ...{ total, limit, offset },
    nextCursor: nextMomentCursor(rows, limit),
  }
}

function conditionOf(query: monitoring.AuthFailuresQuery) {
  const { kind, reason, address, projectId, keyPrefix, memberId, cursor } = query
  const conditions = periodConditions(readPeriod(query, 'dateFrom', 'dateTo'))
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (reason !== undefined) conditions.push(sql`reason = ${reason}`)
  if (address !== undefined) conditions.push(sql`address = ${address}`)
  if (projectId !== undefined) conditions.push(sql`project_id = ${projectId}`)
  if (keyPrefix !== undefined) conditions.push(sql`key_prefix = ${keyPrefix}`)
  if (memberId !== undefined) conditions.push(sql`member_id = ${memberId}`)
  if (cursor !== undefined) {
    const { at, id } = readMomentCursor(cursor)
    conditions.push(sql`(auth_failures.at, auth_failures.id) < (${at}, ${id}::uuid)`)
  }
  return allOf(conditions)
}
