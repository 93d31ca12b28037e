import type { Tx } from '#platform/db/database'
import type { toLoginProblem } from './project-redirect.ts'

/** Passes the result of a sign-in to the waiting request of another protocol. */
export type CompleteInteraction = (
  tx: Tx,
  interaction: string,
  outcome: { readonly memberId: string } | { readonly problem: ReturnType<typeof toLoginProblem> },
) => Promise<void>
