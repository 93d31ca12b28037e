import { lazy, Suspense } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import type { LookupProps } from './lookup-box.tsx'

const LookupBox = lazy(fileOf(() => import('./lookup-box.tsx')))

/** A field that finds something by its name, or takes its ID. The page does not wait for its list. */
export const Lookup = (props: LookupProps) => (
  <Suspense
    fallback={<input className="input" aria-label={props.label} placeholder={props.label} disabled />}
  >
    <LookupBox {...props} />
  </Suspense>
)
