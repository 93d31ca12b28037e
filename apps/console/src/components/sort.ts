/** The order of a table: the column, and the direction. */
export interface Sort {
  readonly column: string
  readonly isDescending: boolean
}

/** The value by which rows are compared. Null comes last in both directions. */
export type SortValue = string | number | null

interface SortableColumn<Row> {
  readonly header: string
  readonly sortBy?: (row: Row) => SortValue
}

/** Parses the order from the address, e.g. `name`, or `-name` for descending. */
export const sortOf = (text: string | undefined): Sort | undefined =>
  text ? { column: text.replace(/^-/, ''), isDescending: text.startsWith('-') } : undefined

/** Returns the name of a column in the address. */
export const sortName = (header: string): string => header.toLowerCase().replaceAll(' ', '-')

/** Returns the order after a click on a column: first ascending, then descending, then the order of the service. */
export function nextSort(now: Sort | undefined, column: string): string {
  if (now?.column !== column) return column
  return now.isDescending ? '' : `-${column}`
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compare(a: SortValue, b: SortValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(String(a), String(b))
}

/** Sorts rows by a column. If no column has that name, the rows keep their order. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const sortBy = columns.find(({ header }) => sortName(header) === sort?.column)?.sortBy
  if (!sort || !sortBy) return rows
  return rows.toSorted((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sort.isDescending ? compare(b, a) : compare(a, b)
  })
}
