import type { Tx } from '#platform/db/database'
import type { toLoginProblem } from './project-redirect.ts'

/**
 * Passes the result of a sign-in to the request of OpenID Connect that waits for it, whose ID is `interaction`. Runs in
 * the transaction that ends the sign-in.
 */
export type CompleteInteraction = (
  tx: Tx,
  interaction: string,
  outcome: { readonly memberId: string } | { readonly problem: ReturnType<typeof toLoginProblem> },
) => Promise<void>
