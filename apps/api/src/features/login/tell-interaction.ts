import type { Tx } from '#platform/db/database'
import type { toLoginProblem } from './project-redirect.ts'

/** Tells a request of another protocol what came of the login that it waits for. */
export type TellInteraction = (
  tx: Tx,
  interaction: string,
  outcome: { readonly memberId: string } | { readonly problem: ReturnType<typeof toLoginProblem> },
) => Promise<void>
