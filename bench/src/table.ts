export interface Table {
  readonly id: string
  readonly title: string
  /** What a reader must know to read it. */
  readonly note: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface Column {
  readonly key: string
  readonly title: string
  /** After the decimal point; text when not given. */
  readonly digits?: number
}

export type Row = Readonly<Record<string, string | number>>

/** A cell as people read it: thousands apart, as many digits as the column has. */
export function formatCell({ key, digits }: Column, row: Row): string {
  const value = row[key]
  if (typeof value !== 'number') return value ?? ''
  return value.toLocaleString('en', {
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? 0,
  })
}
