import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useState } from 'react'
import { fileOf } from '../shell/page-file.tsx'
import { Button } from './button.tsx'
import type { DialogProps } from './modal.tsx'

// The code of dialogs is loaded on demand. It is a quarter of the shell's size, and most visits open no dialog.
const Modal = lazy(fileOf(() => import('./modal.tsx')))

interface Closing {
  readonly isBusy: boolean
  readonly setBusy: (isBusy: boolean) => void
  readonly onClose: () => void
}

const ClosingContext = createContext<Closing>({ isBusy: false, setBusy: () => {}, onClose: () => {} })

/**
 * A task that the administrator finishes or cancels before continuing. Escape cancels it. It cannot be closed while its
 * action runs, because it shows the failure of the action.
 */
export const Dialog = (props: Omit<DialogProps, 'isBusy'>) => {
  const [isBusy, setBusy] = useState(false)
  return (
    props.isOpen && (
      <Suspense fallback={null}>
        <ClosingContext value={{ isBusy, setBusy, onClose: props.onClose }}>
          <Modal {...props} isBusy={isBusy} />
        </ClosingContext>
      </Suspense>
    )
  )
}

/** The row of buttons at the end of a dialog. Set `isBusy` while the action of the dialog runs. */
export function DialogActions({ isBusy = false, children }: { isBusy?: boolean; children: ReactNode }) {
  const { setBusy } = useContext(ClosingContext)
  useEffect(() => {
    setBusy(isBusy)
    return () => setBusy(false)
  }, [isBusy, setBusy])
  return <div className="dialog-actions">{children}</div>
}

/** The button that closes a dialog without its action. */
export function CloseButton({ text = 'Cancel', autoFocus }: { text?: string; autoFocus?: boolean }) {
  const { isBusy, onClose } = useContext(ClosingContext)
  return (
    <Button onClick={onClose} disabled={isBusy} autoFocus={autoFocus}>
      {text}
    </Button>
  )
}
