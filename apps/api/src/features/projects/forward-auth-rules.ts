import type { forwardAuth, ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'

/**
 * The changes to the protected hosts of a project. The feature `forward-auth` implements them, and `app.ts` passes
 * them.
 */
export interface ForwardAuthRules {
  /** Returns the problems of the input. */
  readonly complaints: (input: forwardAuth.ForwardAuthInput | undefined) => readonly ProblemDetail[]
  /** Stores the rule. Returns it before and after, or undefined if nothing changed. Throws HOST_TAKEN. */
  readonly set: (
    tx: Tx,
    projectId: string,
    input: forwardAuth.ForwardAuthInput,
  ) => Promise<{ readonly before: unknown; readonly after: unknown } | undefined>
}
