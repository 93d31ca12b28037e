import { useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode } from 'react'

const rowHeight = 41
/** Beyond so many rows, only those that can be seen are there. */
const mostPlainRows = 100

export const isLong = (count: number): boolean => count > mostPlainRows

/** What a row says of itself, so that its place and height are known. */
export interface PlacedRow {
  readonly ref: (row: HTMLTableRowElement | null) => void
  readonly 'data-index': number
  readonly 'aria-rowindex': number
}

interface VirtualRowsProps {
  readonly count: number
  /** Of the table. */
  readonly columns: number
  /** What scrolls, once it is there: held as state, because a ref is set after the rows were asked for the first time. */
  readonly frame: HTMLElement | null
  readonly children: (at: number, placed: PlacedRow) => ReactNode
}

/** The rows of a long table that can be seen, between two that keep the place of all others. */
export function VirtualRows({ count, columns, frame, children }: VirtualRowsProps) {
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
