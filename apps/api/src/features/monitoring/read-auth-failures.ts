import type { monitoring } from '@rolecall/contract'
import { allOf, sql } from '#platform/db/sql'
import { periodConditions, readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import { countAuthFailures, listAuthFailures } from './read-store.ts'

/**
 * One page of the rejected credentials, newest first, and how many there are in all.
 * @throws VALIDATION_FAILED when the period ends before it begins
 */
export async function readAuthFailures({ db }: Pick<Deps, 'db'>, query: monitoring.AuthFailuresQuery) {
  const condition = conditionOf(query)
  const { limit = 50, offset = 0 } = query
  const [rows, total] = await Promise.all([
    listAuthFailures(db, condition, limit, offset),
    countAuthFailures(db, condition),
  ])
  return { data: rows.map((row) => ({ ...row, at: row.at.toISOString() })), total, limit, offset }
}

function conditionOf(query: monitoring.AuthFailuresQuery) {
  const { kind, reason, address, projectId, keyPrefix } = query
  const conditions = periodConditions(readPeriod(query, 'dateFrom', 'dateTo'))
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (reason !== undefined) conditions.push(sql`reason = ${reason}`)
  if (address !== undefined) conditions.push(sql`address = ${address}`)
  if (projectId !== undefined) conditions.push(sql`project_id = ${projectId}`)
  if (keyPrefix !== undefined) conditions.push(sql`key_prefix = ${keyPrefix}`)
  return allOf(conditions)
}
