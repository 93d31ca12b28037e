import type { DryRun, RolecallError } from '@rolecall/sdk/admin'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { CloseButton, Dialog, DialogActions } from './dialog.tsx'
import { countText } from './number.tsx'
import { Problem, Skeleton } from './states.tsx'
import { isNameTyped } from './typed-name.ts'

interface DangerProps {
  /** The verb and the object, as on the button that opened the dialog, e.g. `Revoke the key`. */
  readonly action: string
  /** The same as a question with the name of the object, e.g. `Revoke the key of “Wiki”?` */
  readonly question: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Requests a dry run of the action. */
  readonly preview: () => Promise<DryRun | undefined>
  /** The effects that a dry run cannot count. */
  readonly children?: ReactNode
  /** The name that the administrator must type to confirm. Without it, a click is enough. */
  readonly name?: string
  readonly run: () => Promise<unknown>
}

/**
 * A dialog that asks for confirmation of an action that cannot be undone. It shows the name of the object, and the
 * effects in numbers, which a dry run counts.
 */
export function Danger({ action, question, isOpen, onClose, preview, children, name, run }: DangerProps) {
  return (
    <Dialog title={question} isOpen={isOpen} onClose={onClose} isQuestion>
      {isOpen && <DangerBody {...{ action, onClose, preview, children, name, run }} />}
    </Dialog>
  )
}

type BodyProps = Pick<DangerProps, 'action' | 'onClose' | 'preview' | 'run' | 'children'> & {
  readonly name: string | undefined
}

function DangerBody({ action, onClose, preview, children, name, run }: BodyProps) {
  const [effects, setEffects] = useState<readonly string[]>()
  const [error, setError] = useState<RolecallError>()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  /** The same as `isBusy`, at once. A second click can arrive before the button is busy. */
  const isRunning = useRef(false)
  const input = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when the question opens.
  useEffect(() => {
    preview().then((answer) => setEffects(effectsOf(answer)), setError)
  }, [])
  const confirm = async () => {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setError(undefined)
    try {
      await run()
      onClose()
    } catch (failure) {
      setError(failure as RolecallError)
      setBusy(false)
      isRunning.current = false
    }
  }
  const isReady = effects !== undefined && (name === undefined || isNameTyped(typed, name))
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void confirm()
      }}
    >
      {children && <div>{children}</div>}
      {effects === undefined && !error && <Skeleton rows={1} height={20} />}
      {effects && (
        <ul aria-label="Effects">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      {error && <Problem error={error} />}
      {name !== undefined && (
        <div className="field">
          <label htmlFor={input}>
            Type{' '}
            <strong>
              <bdi>{name}</bdi>
            </strong>{' '}
            to confirm
          </label>
          <input
            id={input}
            className="input"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      )}
      <DialogActions isBusy={isBusy}>
        <CloseButton autoFocus />
        <Button kind="destroy" type="submit" disabled={!isReady} isBusy={isBusy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

/** Returns the numbers of a dry run as sentences. */
export function effectsOf(answer: DryRun | undefined): string[] {
  if (!answer) return ['Nothing else changes.']
  const { sessionsEnded, membersAffected, keysEnded, submissionsDeleted, hostsEnded } = answer
  const found = [
    ...(sessionsEnded > 0
      ? [
          `${countText(membersAffected, 'member')} will be signed out (${countText(sessionsEnded, 'session')}).`,
        ]
      : []),
    ...(hostsEnded > 0 ? [`${countText(hostsEnded, 'protected host')} will reject every request.`] : []),
    ...(keysEnded > 0 ? [`${countText(keysEnded, 'API key')} will stop working immediately.`] : []),
    ...(submissionsDeleted > 0 ? [`${countText(submissionsDeleted, 'submission')} will be deleted.`] : []),
  ]
  return found.length > 0 ? found : ['No members are signed out, and no keys stop working.']
}
