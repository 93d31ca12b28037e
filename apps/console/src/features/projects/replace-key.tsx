import type { Project, ProjectKey } from '@rolecall/sdk/admin'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CloseButton, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Problem } from '../../components/states.tsx'
import { Fields } from '../../forms/fields.tsx'
import { type Body, type Form, useForm } from '../../forms/use-form.ts'

export interface KeyDialogProps {
  readonly project: Project
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onKey: (key: string) => void
}

interface ReplaceKeyProps extends Omit<KeyDialogProps, 'isOpen'> {
  /** The newest key when the dialog opened. If another key is newer by now, the service replaces neither. */
  readonly old: ProjectKey
}

/** A dialog that replaces the newest key with a new one, and shows that once. */
export const ReplaceKey = (props: ReplaceKeyProps) => (
  <Dialog title={`Replace the key ${props.old.prefix}…`} isOpen onClose={props.onClose}>
    <ReplaceForm {...props} />
  </Dialog>
)

const graces = {
  hour: 'For 1 hour',
  day: 'For 1 day',
  week: 'For 1 week',
  custom: 'Until a set time',
  none: 'Not at all',
} as const

type Grace = keyof typeof graces
type ReplaceBody = Form<Body<'regenerateApiKey'>>

const weekMs = 604_800_000

/** Returns the fields of the request for the chosen time in which the old key stays valid. */
const fieldsOf = (grace: Grace): { readonly graceSec?: number; readonly graceUntil?: string } => {
  if (grace === 'hour') return { graceSec: 3_600 }
  if (grace === 'day') return { graceSec: 86_400 }
  if (grace === 'none') return { graceSec: 0 }
  return { graceUntil: new Date(Date.now() + weekMs).toISOString() }
}

function ReplaceForm({ project, old, onClose, onKey }: ReplaceKeyProps) {
  const form = useForm('regenerateApiKey', {
    initial: { ...fieldsOf('day'), keyId: old.id },
    params: { id: project.id },
    onDone: ({ apiKey }) => {
      onKey(apiKey)
      onClose()
    },
  })
  return (
    <form className="stack" onSubmit={form.submit}>
      <p>The new key is shown once. The old key can stay valid until every program has the new one.</p>
      <GraceField form={form} />
      <Fields form={form} keys={['note']} helps={{ note: 'The purpose of the key.' }} />
      {form.failure && <Problem error={form.failure} />}
      <DialogActions isBusy={form.isBusy}>
        <CloseButton />
        <Button kind="main" type="submit" isBusy={form.isBusy}>
          Replace key
        </Button>
      </DialogActions>
    </form>
  )
}

function GraceField({ form }: { form: ReplaceBody }) {
  const [grace, setGrace] = useState<Grace>('day')
  const id = useId()
  const choose = (next: Grace) => {
    const { graceSec, graceUntil } = fieldsOf(next)
    setGrace(next)
    form.set('graceSec', graceSec)
    form.set('graceUntil', graceUntil)
  }
  return (
    <>
      <div className="field">
        <label htmlFor={id}>The old key stays valid</label>
        <select
          id={id}
          className="input"
          aria-describedby={`${id}-help`}
          value={grace}
          onChange={({ target }) => choose(target.value as Grace)}
        >
          {Object.entries(graces).map(([word, text]) => (
            <option key={word} value={word}>
              {text}
            </option>
          ))}
        </select>
        <span className="field-help" id={`${id}-help`}>
          {grace === 'none'
            ? 'Requests with the old key are rejected immediately.'
            : 'Its uses are still counted. If you revoke the new key, the old one ends, too.'}
        </span>
      </div>
      {grace === 'custom' && (
        <Fields
          form={form}
          keys={['graceUntil']}
          labels={{ graceUntil: 'The old key stays valid until' }}
          helps={{ graceUntil: 'At most 30 days from now.' }}
        />
      )}
    </>
  )
}
