import { type ReactNode, useRef } from 'react'
import { Modal as AriaModal, Dialog, Heading, ModalOverlay } from 'react-aria-components'
import './dialog.css'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** True while the action of the dialog runs. The dialog then cannot be closed. */
  readonly isBusy: boolean
  /** True for a question. A click outside does not close it, so the user must choose a button. */
  readonly isQuestion?: boolean
  readonly size?: 'normal' | 'wide'
  readonly children: ReactNode
}

/** The part of a dialog that is loaded when the first one opens. */
export default function Modal({
  title,
  isOpen,
  onClose,
  isBusy,
  isQuestion = false,
  size = 'normal',
  children,
}: DialogProps) {
  const modal = useRef<HTMLDivElement>(null)
  return (
    <ModalOverlay
      className="overlay fade"
      isOpen={isOpen}
      onOpenChange={(open) => !open && !isBusy && onClose()}
      isDismissable={!isQuestion}
      // A click outside must not discard what was typed into a form.
      shouldCloseOnInteractOutside={() => !modal.current?.querySelector('form')}
    >
      <AriaModal className="modal" data-size={size} ref={modal}>
        <Dialog className="dialog" role={isQuestion ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  )
}
