import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode } from 'react'
import { RowSpacer, rowHeight } from './row-spacer.tsx'

/** The attributes of a row of a long table: its position, and how its height is measured. */
export interface PlacedRow {
  /** Measures the height. Not set until the code that measures has loaded. */
  readonly ref?: (row: HTMLTableRowElement | null) => void
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
  readonly children: (at: number, placed: PlacedRow) => ReactNode
}

/** The visible rows of a long table, between two spacers that have the height of the other rows. */
export default function VisibleRows({ count, columns, frame, children }: VirtualRowsProps) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The table may have been scrolled before this code loaded. The virtualizer would scroll it back to the start.
    observeElementOffset: (instance, onOffset) => {
      instance.scrollOffset = instance.scrollElement?.scrollTop ?? null
      return observeElementOffset(instance, onOffset)
    },
  })
  const seen = virtual.getVirtualItems()
  return (
    <>
      <RowSpacer columns={columns} height={seen[0]?.start ?? 0} />
      {seen.map(({ index, key }) => (
        <Fragment key={key}>
          {children(index, {
            ref: virtual.measureElement,
            'data-index': index,
            'aria-rowindex': index + 2,
          })}
        </Fragment>
      ))}
      <RowSpacer columns={columns} height={virtual.getTotalSize() - (seen.at(-1)?.end ?? 0)} />
    </>
  )
}
