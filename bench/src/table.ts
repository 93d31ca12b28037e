/** A table of results, as `docs/reference/figures.md` shows it. */
export interface Table {
  readonly id: string
  readonly title: string
  /** The text above the table that explains it. */
  readonly note: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** A column of a table. `key` is its field in the rows. */
export interface Column {
  readonly key: string
  readonly title: string
  /** The number of decimals. Undefined for a column of text. */
  readonly digits?: number
}

export type Row = Readonly<Record<string, string | number>>

/** Formats a cell for people, with thousands separators and the decimals of its column. */
export function formatCell({ key, digits }: Column, row: Row): string {
  const value = row[key]
  if (typeof value !== 'number') return value ?? ''
  return value.toLocaleString('en', {
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? 0,
  })
}
