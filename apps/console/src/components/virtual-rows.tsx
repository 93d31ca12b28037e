import { lazy, Suspense } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import type { VirtualRowsProps } from './visible-rows.tsx'

/** The most rows that are all rendered. A longer table renders only the visible rows. */
const maxPlainRows = 100

export const isLong = (count: number): boolean => count > maxPlainRows

// Few tables are long, so the others do not load the code that measures rows.
const VisibleRows = lazy(fileOf(() => import('./visible-rows.tsx')))

/** The rows of a long table. */
export const VirtualRows = (props: VirtualRowsProps) => (
  <Suspense fallback={null}>
    <VisibleRows {...props} />
  </Suspense>
)
