import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { isLong, type PlacedRow, VirtualRows } from './virtual-rows.tsx'

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers and actions stand at the end. */
  readonly align?: 'start' | 'end'
  /** Left out where there is little room. */
  readonly isMinor?: boolean
  readonly width?: string
}

interface DataTableProps<Row> {
  /** What it lists: its name for who cannot see it. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Where a row leads: its first cell is the link, and all of it can be clicked. */
  readonly rowLink?: (row: Row) => string
  /** What stands there without rows, with the next step. */
  readonly empty: ReactNode
}

/** A table of rows that lead somewhere. `j` and `k` go from row to row, `Enter` opens. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, empty } = props
  if (rows.length === 0) return <div className="table-frame">{empty}</div>
  const head = (
    <thead>
      <tr>
        {columns.map(({ header, align, isMinor, width }) => (
          <th key={header} scope="col" data-align={align} data-minor={isMinor || undefined} style={{ width }}>
            {header || <span className="unseen">Actions</span>}
          </th>
        ))}
      </tr>
    </thead>
  )
  if (isLong(rows.length)) return <VirtualTable {...props} head={head} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div className="table-frame" role="group" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="unseen">{label}</caption>
        {head}
        <tbody>
          {rows.map((row) => (
            <TableRow key={props.rowKey(row)} {...props} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function VirtualTable<Row>({ head, ...props }: DataTableProps<Row> & { head: ReactNode }) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const { rows, columns, label } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div className="table-frame" data-virtual="" ref={setFrame} role="group" aria-label={label} tabIndex={0}>
      <table className="table" aria-rowcount={rows.length + 1}>
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
    </div>
  )
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  readonly row: Row
  readonly placed?: PlacedRow
}

function TableRow<Row>({ columns, row, rowLink, placed }: TableRowProps<Row>) {
  const navigate = useNavigate()
  const to = rowLink?.(row)
  const open = (event: MouseEvent) => {
    // A click on something in the row means that; marking text means nothing.
    const isOther = event.target instanceof Element && event.target.closest('a, button, input, select, label')
    if (!to || isOther || getSelection()?.toString()) return
    if (event.metaKey || event.ctrlKey) window.open(`/console${to}`, '_blank', 'noopener')
    else void navigate({ to })
  }
  return (
    // The link in the first cell is for the keyboard.
    <tr data-opens={to ? '' : undefined} onClick={to ? open : undefined} {...placed}>
      {columns.map(({ header, cell, align, isMinor }, column) => (
        <td key={header} data-align={align} data-minor={isMinor || undefined}>
          {column === 0 && to ? (
            <Link to={to} className="row-link">
              {cell(row)}
            </Link>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}
