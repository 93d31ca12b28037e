import { type Sql, sql } from './sql.ts'

/** A row in a list that is ordered by a moment and then by ID. */
interface Place {
  readonly at: Date
  readonly id: string
}

/** Names the last row of a page, as `patterns.momentCursor` has it. */
export const momentCursor = ({ at, id }: Place): string => `${at.getTime()}-${id}`

/** Reads a cursor that fits the pattern. `at` is an expression: a number keeps its milliseconds in both engines. */
export function readMomentCursor(cursor: string): { readonly at: Sql; readonly id: string } {
  const cut = cursor.indexOf('-')
  return {
    at: sql`timestamptz 'epoch' + ${cursor.slice(0, cut)}::float8 * interval '1 millisecond'`,
    id: cursor.slice(cut + 1),
  }
}
