import { lazy, type ReactNode, Suspense } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import type { DialogProps } from './modal.tsx'

// The code of dialogs is loaded on demand. It is a quarter of the shell's size, and most visits open no dialog.
const Modal = lazy(fileOf(() => import('./modal.tsx')))

/** A task that the administrator finishes or cancels before continuing. Escape cancels it. */
export const Dialog = (props: DialogProps) =>
  props.isOpen && (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  )

/** The row of buttons at the end of a dialog. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)
