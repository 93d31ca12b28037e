import type { Tx } from '#platform/db/database'
import type { toLoginProblem } from './project-redirect.ts'

/** Passes the outcome of a sign-in to the request of another protocol that waits for it. */
export type TellInteraction = (
  tx: Tx,
  interaction: string,
  outcome: { readonly memberId: string } | { readonly problem: ReturnType<typeof toLoginProblem> },
) => Promise<void>
