import type { CSSProperties } from 'react'
import { nextSort, type Sort, type SortValue, sortName } from './sort.ts'

interface HeadColumn<Row> {
  readonly header: string
  readonly align?: 'start' | 'end'
  readonly width?: string
  readonly sortBy?: (row: Row) => SortValue
}

interface TableHeadProps<Row> {
  readonly columns: readonly HeadColumn<Row>[]
  readonly sort: Sort | undefined
  readonly onSort: (sort: string) => void
}

const directionOf = (sort: Sort | undefined, header: string) => {
  if (sort?.column !== sortName(header)) return 'none'
  return sort.isDescending ? 'descending' : 'ascending'
}

/** The head of a table. A click on a sortable column sorts by it. */
export const TableHead = <Row,>({ columns, sort, onSort }: TableHeadProps<Row>) => (
  <thead>
    <tr>
      {columns.map(({ header, align, width, sortBy }) => {
        const style: CSSProperties = { width }
        if (!sortBy)
          return (
            <th key={header} scope="col" data-align={align} style={style}>
              {header || <span className="unseen">Actions</span>}
            </th>
          )
        return (
          <th key={header} scope="col" data-align={align} style={style} aria-sort={directionOf(sort, header)}>
            <button type="button" className="sort" onClick={() => onSort(nextSort(sort, sortName(header)))}>
              {header}
            </button>
          </th>
        )
      })}
    </tr>
  </thead>
)
