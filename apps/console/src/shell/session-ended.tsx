import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { LoginCard } from './login-page.tsx'

/**
 * The page that covers the console after the session has ended. It is a dialog, because it must take the focus from
 * the dialogs below it. Everything below stays, with the text in its forms, and continues with the next session.
 */
export default function SessionEnded() {
  return (
    <ModalOverlay className="way-in" isOpen isKeyboardDismissDisabled>
      <Modal className="way-in-modal">
        <Dialog className="way-in-card" aria-label="Your session has ended">
          <LoginCard reason="ended" />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
