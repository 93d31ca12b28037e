import { useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode } from 'react'

const rowHeight = 41
/** The attributes of a row with which its position and its height are measured. */
export interface PlacedRow {
  readonly ref: (row: HTMLTableRowElement | null) => void
  readonly 'data-index': number
  readonly 'aria-rowindex': number
}

export interface VirtualRowsProps {
  readonly count: number
  /** The number of columns of the table. */
  readonly columns: number
  /**
   * The element that scrolls, once it is mounted. It is passed as state and not as a ref, because a ref is set only
   * after the first render of the rows.
   */
  readonly frame: HTMLElement | null
  /** Renders a row. Rows that are shown before they can be measured have no `placed`. */
  readonly children: (at: number, placed?: PlacedRow) => ReactNode
}

/** The visible rows of a long table, between two spacers that have the height of the other rows. */
export default function VisibleRows({ count, columns, frame, children }: VirtualRowsProps) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const seen = virtual.getVirtualItems()
  const spacer = (height: number) =>
    height > 0 && (
      <tr className="spacer">
        <td colSpan={columns} style={{ height }} />
      </tr>
    )
  return (
    <>
      {spacer(seen[0]?.start ?? 0)}
      {seen.map(({ index, key }) => (
        <Fragment key={key}>
          {children(index, {
            ref: virtual.measureElement,
            'data-index': index,
            'aria-rowindex': index + 2,
          })}
        </Fragment>
      ))}
      {spacer(virtual.getTotalSize() - (seen.at(-1)?.end ?? 0))}
    </>
  )
}
