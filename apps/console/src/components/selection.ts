import { useState } from 'react'

/** The selected rows of a list. A row that leaves the list also leaves the selection. */
export interface Selection<Row> {
  /** The selected rows, in the order of the list. */
  readonly rows: readonly Row[]
  readonly areAll: boolean
  readonly has: (row: Row) => boolean
  readonly toggle: (row: Row) => void
  /** Selects every row, or none if all of them are selected. */
  readonly toggleAll: () => void
  readonly clear: () => void
}

/** Returns the selection among these rows. `keyOf` identifies a row, also after a refetch. */
export function useSelection<Row>(all: readonly Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const rows = all.filter((row) => keys.has(keyOf(row)))
  const areAll = rows.length > 0 && rows.length === all.length
  return {
    rows,
    areAll,
    has: (row) => keys.has(keyOf(row)),
    toggle: (row) => setKeys(toggled(keys, keyOf(row))),
    toggleAll: () => setKeys(new Set(areAll ? [] : all.map(keyOf))),
    clear: () => setKeys(new Set()),
  }
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}
