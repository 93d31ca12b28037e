import type { forwardAuth, ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'

/** What a project protects, as another feature keeps it. */
export interface ForwardAuthRules {
  readonly complaints: (input: forwardAuth.ForwardAuthInput | undefined) => readonly ProblemDetail[]
  /** Answers what was and what is; undefined where nothing is another one. Throws HOST_TAKEN. */
  readonly set: (
    tx: Tx,
    projectId: string,
    input: forwardAuth.ForwardAuthInput,
  ) => Promise<{ readonly before: unknown; readonly after: unknown } | undefined>
}
