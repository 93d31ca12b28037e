import type { Sql } from '#platform/db/sql'
import { sql } from '#platform/db/sql'
import { invalid } from './check-request.ts'

const dayMs = 86_400_000
const isDay = (text: string) => text.length === 10

/**
 * Returns the moment of a text. A date without a time is its first moment in UTC. Converts to upper case, because ISO
 * 8601 allows lower-case `t` and `z`, and JavaScript does not.
 */
const momentOf = (text: string) => new Date(text.toUpperCase())

/** Returns the end of a period. A date without a time includes the whole day. */
const endOf = (text: string) =>
  isDay(text) ? new Date(momentOf(text).getTime() + dayMs - 1) : momentOf(text)

/**
 * Reads the period of a query, both ends included.
 *
 * @throws VALIDATION_FAILED if it ends before it begins
 */
export function readPeriod(query: Readonly<Record<string, unknown>>, fromName: string, toName: string) {
  const from = typeof query[fromName] === 'string' ? momentOf(query[fromName]) : undefined
  const to = typeof query[toName] === 'string' ? endOf(query[toName]) : undefined
  if (from && to && from > to) {
    throw invalid([{ path: `/${toName}`, message: `must not be before ${fromName}`, code: 'RANGE' }])
  }
  return { from, to }
}

/** Returns conditions for the period on the column `at`. */
export function periodConditions({ from, to }: ReturnType<typeof readPeriod>): Sql[] {
  return [
    ...(from ? [sql`at >= ${from.toISOString()}::timestamptz`] : []),
    ...(to ? [sql`at <= ${to.toISOString()}::timestamptz`] : []),
  ]
}
