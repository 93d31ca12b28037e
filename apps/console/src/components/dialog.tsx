import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useState } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import { Button } from './button.tsx'
import type { DialogProps } from './modal.tsx'

// The code of dialogs is loaded on demand. It is a quarter of the shell's size, and most visits open no dialog.
const Modal = lazy(fileOf(() => import('./modal.tsx')))

/** The state that a dialog shares with its buttons. */
interface DialogState {
  readonly isBusy: boolean
  readonly setBusy: (isBusy: boolean) => void
  readonly onClose: () => void
}

const DialogContext = createContext<DialogState>({ isBusy: false, setBusy: () => {}, onClose: () => {} })

/** Shows a modal dialog. Escape closes it. While its action runs, it stays open, so that it can show an error. */
export const Dialog = (props: Omit<DialogProps, 'isBusy'>) => {
  const [isBusy, setBusy] = useState(false)
  return (
    props.isOpen && (
      <Suspense fallback={null}>
        <DialogContext value={{ isBusy, setBusy, onClose: props.onClose }}>
          <Modal {...props} isBusy={isBusy} />
        </DialogContext>
      </Suspense>
    )
  )
}

/**
 * Shows the row of buttons at the end of a dialog. Set `isBusy` while the action of the dialog runs. The row passes it
 * on to the dialog, which cannot be closed for that time.
 */
export function DialogActions({ isBusy = false, children }: { isBusy?: boolean; children: ReactNode }) {
  const { setBusy } = useContext(DialogContext)
  useEffect(() => {
    setBusy(isBusy)
    return () => setBusy(false)
  }, [isBusy, setBusy])
  return <div className="dialog-actions">{children}</div>
}

/** Shows the button that closes a dialog without running its action. */
export function CloseButton({ text = 'Cancel', autoFocus }: { text?: string; autoFocus?: boolean }) {
  const { isBusy, onClose } = useContext(DialogContext)
  return (
    <Button onClick={onClose} disabled={isBusy} autoFocus={autoFocus}>
      {text}
    </Button>
  )
}
