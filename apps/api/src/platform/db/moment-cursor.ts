import { type Sql, sql } from './sql.ts'

/** A row's place in a list that is sorted by time, and then by ID. */
interface Place {
  readonly at: Date
  readonly id: string
}

/** Formats the cursor that continues after this row, as `patterns.momentCursor` defines it. */
export const momentCursor = ({ at, id }: Place): string => `${at.getTime()}-${id}`

/**
 * Formats the cursor that continues after a page. Returns null if the page is not full, because then it is the last
 * one.
 */
export function nextMomentCursor(rows: readonly Place[], limit: number): string | null {
  const last = rows.length === limit ? rows.at(-1) : undefined
  return last ? momentCursor(last) : null
}

/**
 * Parses a cursor that matches the pattern. `at` is an SQL expression. It computes the time from a number, so that both
 * engines preserve the milliseconds.
 */
export function readMomentCursor(cursor: string): { readonly at: Sql; readonly id: string } {
  const cut = cursor.indexOf('-')
  return {
    at: sql`timestamptz 'epoch' + ${cursor.slice(0, cut)}::float8 * interval '1 millisecond'`,
    id: cursor.slice(cut + 1),
  }
}
