import { useState } from 'react'
import { CloseButton, Dialog, DialogActions } from '../components/dialog.tsx'
import { Facts } from '../components/page.tsx'
import { areKeysOn, type Key, turnKeys } from './keys.ts'
import type { Place } from './places.ts'

interface KeysDialogProps {
  readonly keys: readonly Key[]
  readonly places: readonly Place[]
  readonly onClose: () => void
}

/** A dialog with all shortcuts, and a switch that turns single keys off. */
export default function KeysDialog({ keys, places, onClose }: KeysDialogProps) {
  const [isOn, setOn] = useState(areKeysOn)
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <Facts
        of={[
          ['Command palette', <kbd key="palette">Ctrl or ⌘ K</kbd>],
          ...keys.map(({ key, text }) => [text, <kbd key={key}>{key}</kbd>] as const),
          ...places.map(({ key, text }) => [text, <kbd key={key}>g {key}</kbd>] as const),
          ['Open row', <kbd key="open">Enter</kbd>],
          ['Close', <kbd key="close">Esc</kbd>],
        ]}
      />
      <label className="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            turnKeys(target.checked)
            setOn(target.checked)
          }}
        />
        Enable single-key shortcuts
      </label>
      <DialogActions>
        <CloseButton text="Close" />
      </DialogActions>
    </Dialog>
  )
}
