import type { forwardAuth, ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'

/** The protected hosts of a project, as another feature stores them. */
export interface ForwardAuthRules {
  readonly complaints: (input: forwardAuth.ForwardAuthInput | undefined) => readonly ProblemDetail[]
  /** Returns both states; undefined if nothing changed. Throws HOST_TAKEN. */
  readonly set: (
    tx: Tx,
    projectId: string,
    input: forwardAuth.ForwardAuthInput,
  ) => Promise<{ readonly before: unknown; readonly after: unknown } | undefined>
}
