import { RolecallError } from '@rolecall/sdk/admin'

/** One of several changes that are made in sequence. */
export interface Step {
  readonly key: string
  /** The name of the object that changes, for people. */
  readonly name: string
  readonly run: () => Promise<unknown>
}

/** A step that failed, with its error. */
export interface Failure {
  readonly step: Step
  readonly error: RolecallError
}

interface Run {
  /** Called after each step, with the number of steps that were tried. */
  readonly onProgress: (tried: number) => void
  /** Returns true if the remaining steps must not start. */
  readonly isStopped: () => boolean
}

/**
 * Runs steps one after another, and continues after a failure.
 *
 * @returns the failures, and the steps that did not start
 */
export async function runSteps(
  steps: readonly Step[],
  { onProgress, isStopped }: Run,
): Promise<{ failures: readonly Failure[]; rest: readonly Step[] }> {
  const failures: Failure[] = []
  for (const [tried, step] of steps.entries()) {
    if (isStopped()) return { failures, rest: steps.slice(tried) }
    try {
      await step.run()
    } catch (error) {
      if (!(error instanceof RolecallError)) throw error
      failures.push({ step, error })
    }
    onProgress(tried + 1)
  }
  return { failures, rest: [] }
}
