import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** A question that is answered by a button, never by a click beside it. */
  readonly isQuestion?: boolean
  readonly size?: 'normal' | 'wide'
  readonly children: ReactNode
}

/** Something to finish or to leave before going on. Escape leaves it. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  isQuestion = false,
  size = 'normal',
  children,
}: DialogProps) => (
  <ModalOverlay
    className="overlay fade"
    isOpen={isOpen}
    onOpenChange={(open) => !open && onClose()}
    isDismissable={!isQuestion}
  >
    <Modal className="modal" data-size={size}>
      <AriaDialog className="dialog" role={isQuestion ? 'alertdialog' : 'dialog'}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)
