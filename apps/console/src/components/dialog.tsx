import { lazy, type ReactNode, Suspense } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import type { DialogProps } from './modal.tsx'

// Most visits open no dialog, and its code is a quarter of what they would load.
const Modal = lazy(fileOf(() => import('./modal.tsx')))

/** Something to finish or to leave before going on. Escape leaves it. */
export const Dialog = (props: DialogProps) =>
  props.isOpen && (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  )

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)
