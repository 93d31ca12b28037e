import type { Sql } from '#platform/db/sql'
import { sql } from '#platform/db/sql'
import { invalid } from './check-request.ts'

const dayMs = 86_400_000
const isDay = (text: string) => text.length === 10

/**
 * Parses a time. A date without a time means the start of that day in UTC. Converts to upper case first: ISO 8601
 * permits `t` and `z`, but JavaScript does not.
 */
const momentOf = (text: string) => new Date(text.toUpperCase())

/** Parses the end of a period. A date without a time means the end of that day. */
const endOf = (text: string) =>
  isDay(text) ? new Date(momentOf(text).getTime() + dayMs - 1) : momentOf(text)

/**
 * Reads the period of a query. Both ends belong to the period, and each is optional.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
export function readPeriod(query: Readonly<Record<string, unknown>>, fromName: string, toName: string) {
  const from = typeof query[fromName] === 'string' ? momentOf(query[fromName]) : undefined
  const to = typeof query[toName] === 'string' ? endOf(query[toName]) : undefined
  if (from && to && from > to) {
    throw invalid([{ path: `/${toName}`, message: `must not be before ${fromName}`, code: 'RANGE' }])
  }
  return { from, to }
}

/** Returns the SQL conditions that limit the column `at` to the period. */
export function periodConditions({ from, to }: ReturnType<typeof readPeriod>): Sql[] {
  return [
    ...(from ? [sql`at >= ${from.toISOString()}::timestamptz`] : []),
    ...(to ? [sql`at <= ${to.toISOString()}::timestamptz`] : []),
  ]
}
