import type { CSSProperties } from 'react'
import { SelectBox } from './select-box.tsx'
import type { Selection } from './selection.ts'
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
  /** The selection of all rows, by a checkbox in the first column. */
  readonly selection?: Pick<Selection<Row>, 'areAll' | 'toggleAll'> | undefined
}

const directionOf = (sort: Sort | undefined, header: string) => {
  if (sort?.column !== sortName(header)) return 'none'
  return sort.isDescending ? 'descending' : 'ascending'
}

/** The head of a table. A click on a sortable column sorts by it. */
export const TableHead = <Row,>({ columns, sort, onSort, selection }: TableHeadProps<Row>) => (
  <thead>
    <tr>
      {columns.map(({ header, align, width, sortBy }, column) => {
        const style: CSSProperties = { width }
        const text = sortBy ? (
          <button type="button" className="sort" onClick={() => onSort(nextSort(sort, sortName(header)))}>
            {header}
          </button>
        ) : (
          header || <span className="unseen">Actions</span>
        )
        const selects = column === 0 ? selection : undefined
        return (
          <th
            key={header}
            scope="col"
            data-align={align}
            style={style}
            data-selects={selects && ''}
            aria-sort={sortBy && directionOf(sort, header)}
          >
            <SelectBox label="Select all rows" isOn={selects?.areAll ?? false} onToggle={selects?.toggleAll}>
              {text}
            </SelectBox>
          </th>
        )
      })}
    </tr>
  </thead>
)
