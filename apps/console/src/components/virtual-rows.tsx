import { Fragment, lazy, Suspense } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import { RowSpacer, rowHeight } from './row-spacer.tsx'
import type { VirtualRowsProps } from './visible-rows.tsx'

/** The maximum number of rows that are all rendered. A longer table renders only its visible rows. */
const maxPlainRows = 100

/** The positions of the rows that fill a large screen. */
const firstRows = Array.from({ length: 30 }, (_, at) => at)

/** Returns true if a table with this number of rows renders only its visible rows. */
export const isLong = (count: number): boolean => count > maxPlainRows

// The code that measures rows is loaded only for long tables, and few tables are long.
const VisibleRows = lazy(fileOf(() => import('./visible-rows.tsx')))

/** The rows of a long table. Shows its first rows until the code that measures rows has loaded. */
export const VirtualRows = (props: VirtualRowsProps) => (
  <Suspense fallback={<FirstRows {...props} />}>
    <VisibleRows {...props} />
  </Suspense>
)

const FirstRows = ({ count, columns, children }: VirtualRowsProps) => (
  <>
    {firstRows.map((at) => (
      <Fragment key={at}>{children(at, { 'data-index': at, 'aria-rowindex': at + 2 })}</Fragment>
    ))}
    <RowSpacer columns={columns} height={(count - firstRows.length) * rowHeight} />
  </>
)
