import type { DryRun } from '@rolecall/sdk/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { confirmLeaving } from './confirm-leaving.ts'
import { effectsOf } from './danger.tsx'
import { CloseButton, Dialog, DialogActions } from './dialog.tsx'
import { type Failure, runSteps, type Step } from './run-steps.ts'
import { Reason } from './states.tsx'
import { useToast } from './toast.tsx'

/** One change of a bulk action. */
export interface Change extends Step {
  /** The effect of the change that is known without a dry run. */
  readonly effect: string
  /** Requests a dry run of the change. Without it, `effect` is the complete description. */
  readonly preview?: () => Promise<DryRun | undefined>
}

interface BulkProps {
  /** The verb and the count, as on the button that opened the dialog, e.g. `End 3 sessions`. */
  readonly action: string
  readonly question: string
  /** The confirmation after every change has succeeded. */
  readonly done: string
  readonly changes: readonly Change[]
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** A dialog that shows the effect of each of several changes. After a confirmation, it makes them one after another. */
export const Bulk = (props: BulkProps) => (
  <Dialog title={props.question} isOpen onClose={props.onClose} isQuestion>
    <BulkBody {...props} />
  </Dialog>
)

type Phase =
  | { readonly name: 'checking' | 'running'; readonly steps: number; readonly tried: number }
  | { readonly name: 'checked'; readonly effects: ReadonlyMap<string, readonly string[]> }
  | { readonly name: 'ended'; readonly steps: number; readonly rest: readonly Step[] }

function BulkBody({ action, done, changes, children, onClose }: BulkProps) {
  const client = useQueryClient()
  const say = useToast()
  const [phase, setPhase] = useState<Phase>({ name: 'checking', steps: changes.length, tried: 0 })
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const ending = useRef(new AbortController())

  const run = async (name: 'checking' | 'running', steps: readonly Step[]) => {
    const { signal } = ending.current
    setPhase({ name, steps: steps.length, tried: 0 })
    const result = await runSteps(steps, {
      onProgress: (tried) => setPhase({ name, steps: steps.length, tried }),
      isStopped: () => signal.aborted,
    })
    setFailures(result.failures)
    return result
  }
  const check = async () => {
    const effects = new Map<string, readonly string[]>()
    const steps = changes.map(({ preview, effect, ...change }) => ({
      ...change,
      run: async () => {
        effects.set(change.key, [effect, ...(preview ? effectsOf(await preview()) : [])])
      },
    }))
    const { rest } = await run('checking', steps)
    if (rest.length === 0) setPhase({ name: 'checked', effects })
  }
  const make = async (steps: readonly Step[]) => {
    ending.current = new AbortController()
    const { failures: failed, rest } = await run('running', steps)
    void client.invalidateQueries()
    if (failed.length + rest.length > 0) return setPhase({ name: 'ended', steps: steps.length, rest })
    say(done)
    onClose()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the changes are checked once, when the question opens.
  useEffect(() => {
    ending.current = new AbortController()
    void check()
    return () => ending.current.abort()
  }, [])

  const isRunning = phase.name === 'running'
  useBlocker({
    shouldBlockFn: (leaving) =>
      isRunning && !confirmLeaving(leaving, 'Leave now? The changes that have not started will not be made.'),
    enableBeforeUnload: () => isRunning,
  })

  const possible = phase.name === 'checked' ? changes.filter(({ key }) => phase.effects.has(key)) : []
  const again = phase.name === 'ended' ? [...failures.map(({ step }) => step), ...phase.rest] : []
  return (
    <div className="stack">
      {children && <div>{children}</div>}
      {phase.name === 'checked' && <Effects changes={possible} effects={phase.effects} />}
      <div role="status">
        <Progress phase={phase} failed={failures.length} />
      </div>
      {failures.length > 0 && !isRunning && <Failures failures={failures} />}
      <DialogActions isBusy={isRunning}>
        {isRunning ? (
          <Button onClick={() => ending.current.abort()}>Stop</Button>
        ) : (
          <CloseButton text={phase.name === 'ended' ? 'Close' : 'Cancel'} autoFocus />
        )}
        {phase.name === 'ended' ? (
          <Button kind="destroy" onClick={() => void make(again)}>
            Try the other {again.length} again
          </Button>
        ) : (
          <Button
            kind="destroy"
            disabled={possible.length === 0}
            isBusy={isRunning}
            onClick={() => void make(possible)}
          >
            {action}
          </Button>
        )}
      </DialogActions>
    </div>
  )
}

/** Shows how many changes were tried, as a bar and in words. */
function Progress({ phase, failed }: { phase: Phase; failed: number }) {
  if (phase.name === 'checked') return null
  if (phase.name === 'ended') {
    const made = phase.steps - failed - phase.rest.length
    const rest = phase.rest.length > 0 ? ` ${phase.rest.length} did not start.` : ''
    return <p>{`${made} of ${phase.steps} done. ${failed} failed.${rest}`}</p>
  }
  const { steps, tried } = phase
  const text = phase.name === 'checking' ? 'Checking the effects' : 'Working'
  return (
    <>
      <progress className="progress" max={steps} value={tried} aria-label={text} />
      <p className="quiet">{`${text}: ${tried} of ${steps}`}</p>
    </>
  )
}

interface EffectsProps {
  readonly changes: readonly Change[]
  readonly effects: ReadonlyMap<string, readonly string[]>
}

const Effects = ({ changes, effects }: EffectsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
  <ul className="bulk-list" aria-label="What it will do" tabIndex={0}>
    {changes.map(({ key, name }) => (
      <li key={key}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span className="quiet">{effects.get(key)?.join(' ')}</span>
      </li>
    ))}
  </ul>
)

const Failures = ({ failures }: { failures: readonly Failure[] }) => (
  <div role="alert">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
    <ul className="bulk-list" aria-label="What failed" tabIndex={0} data-tone="bad">
      {failures.map(({ step: { key, name }, error }) => (
        <li key={key}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <Reason error={error} />
        </li>
      ))}
    </ul>
  </div>
)
