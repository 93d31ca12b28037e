import { type Sql, sql } from './sql.ts'

/** A position in a list that is ordered by time and then by ID. */
interface Place {
  readonly at: Date
  readonly id: string
}

/** Formats the cursor after this row, in the format of `patterns.momentCursor`. */
export const momentCursor = ({ at, id }: Place): string => `${at.getTime()}-${id}`

/** Formats the cursor after a page. Returns null after a page that is not full, because it is the last. */
export function nextMomentCursor(rows: readonly Place[], limit: number): string | null {
  const last = rows.length === limit ? rows.at(-1) : undefined
  return last ? momentCursor(last) : null
}

/**
 * Parses a cursor that matches the pattern. `at` is an SQL expression of a number, which keeps milliseconds in both
 * engines.
 */
export function readMomentCursor(cursor: string): { readonly at: Sql; readonly id: string } {
  const cut = cursor.indexOf('-')
  return {
    at: sql`timestamptz 'epoch' + ${cursor.slice(0, cut)}::float8 * interval '1 millisecond'`,
    id: cursor.slice(cut + 1),
  }
}
