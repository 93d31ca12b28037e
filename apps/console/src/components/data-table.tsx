import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, type MouseEvent, type ReactNode, useState } from 'react'
import { SelectBox } from './select-box.tsx'
import type { Selection } from './selection.ts'
import { type SortValue, sorted, sortOf } from './sort.ts'
import { TableFrame } from './table-frame.tsx'
import { TableHead } from './table-head.tsx'
import { useFilters } from './use-filters.ts'
import { isLong, VirtualRows } from './virtual-rows.tsx'
import type { PlacedRow } from './visible-rows.tsx'

/** A column of a table: its header, and the content of its cells. */
export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** The alignment. Use `end` for numbers and actions. Default `start`. */
  readonly align?: 'start' | 'end'
  readonly width?: string
  /** The value by which the column is sorted. Only for tables with all rows, not with one page of them. */
  readonly sortBy?: (row: Row) => SortValue
}

interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** The address that a row opens. The first cell is the link, and the whole row can be clicked. */
  readonly rowLink?: (row: Row) => string
  /** The heading above a group of rows. Rows with the same heading must be adjacent. Not for long tables. */
  readonly groupOf?: (row: Row) => string
  /** True to show more rows on a screen. */
  readonly isDense?: boolean
  /** The selection of rows, by checkboxes in the first column. Not for rows that open a page. */
  readonly selection?: Selection<Row> | undefined
  /** The name of a row for screen readers, if rows can be selected. */
  readonly rowName?: (row: Row) => string
  /** The content if there are no rows. It should name the next step. */
  readonly empty: ReactNode
}

/**
 * A table whose rows can open pages. On a narrow screen, it is a list of cards. `j` and `k` move between the rows, and
 * `Enter` opens one.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, empty } = props
  const [filters, setFilters] = useFilters()
  if (props.rows.length === 0) return <div className="table-frame">{empty}</div>
  const sort = sortOf(filters['sort'])
  const rows = sorted(props.rows, columns, sort)
  const head = (
    <TableHead
      columns={columns}
      sort={sort}
      onSort={(next) => setFilters({ sort: next })}
      selection={props.selection}
    />
  )
  if (isLong(rows.length)) return <VirtualTable {...props} rows={rows} head={head} />
  return (
    <TableFrame label={label}>
      <table className="table cards" data-dense={props.isDense || undefined}>
        <caption className="unseen">{label}</caption>
        {head}
        <tbody>
          <Rows {...props} rows={rows} />
        </tbody>
      </table>
    </TableFrame>
  )
}

function Rows<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, groupOf, columns } = props
  return rows.map((row, at) => {
    const group = groupOf?.(row)
    const before = rows[at - 1]
    const isFirst = group !== undefined && (before === undefined || groupOf?.(before) !== group)
    return (
      <Fragment key={rowKey(row)}>
        {isFirst && (
          <tr className="group">
            <th colSpan={columns.length} scope="colgroup">
              {group}
            </th>
          </tr>
        )}
        <TableRow {...props} row={row} />
      </Fragment>
    )
  })
}

function VirtualTable<Row>({ head, ...props }: DataTableProps<Row> & { head: ReactNode }) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const { rows, columns, label } = props
  return (
    <TableFrame label={label} isVirtual ref={setFrame}>
      <table className="table cards" aria-rowcount={rows.length + 1}>
        <caption className="unseen">{label}</caption>
        {head}
        <tbody>
          <VirtualRows count={rows.length} columns={columns.length} frame={frame}>
            {(at, placed) => {
              const row = rows[at]
              return row !== undefined && <TableRow {...props} row={row} placed={placed} />
            }}
          </VirtualRows>
        </tbody>
      </table>
    </TableFrame>
  )
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  readonly row: Row
  readonly placed?: PlacedRow | undefined
}

function TableRow<Row>({ columns, row, rowLink, rowName, rowKey, selection, placed }: TableRowProps<Row>) {
  const navigate = useNavigate()
  const to = rowLink?.(row)
  const open = (event: MouseEvent) => {
    // Opens nothing if the click was on a control within the row, or ended a selection of text.
    const isOther = event.target instanceof Element && event.target.closest('a, button, input, select, label')
    if (!to || isOther || getSelection()?.toString()) return
    if (event.metaKey || event.ctrlKey) window.open(`/console${to}`, '_blank', 'noopener')
    else void navigate({ to })
  }
  const first = (content: ReactNode) => {
    if (to) {
      return (
        <Link to={to} className="row-link">
          {content}
        </Link>
      )
    }
    return (
      <SelectBox
        label={`Select ${rowName?.(row) ?? rowKey(row)}`}
        isOn={selection?.has(row) ?? false}
        onToggle={selection && (() => selection.toggle(row))}
      >
        {content}
      </SelectBox>
    )
  }
  return (
    // A click anywhere in the row opens its page. For the keyboard, there is the link in the first cell.
    <tr data-opens={to ? '' : undefined} onClick={to ? open : undefined} {...placed}>
      {columns.map(({ header, cell, align }, column) => (
        <td key={header} data-align={align} data-label={header || undefined}>
          {column === 0 ? first(cell(row)) : cell(row)}
        </td>
      ))}
    </tr>
  )
}
