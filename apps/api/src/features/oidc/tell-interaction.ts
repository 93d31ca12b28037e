import type { AdapterPayload } from 'oidc-provider'
import type { Tx } from '#platform/db/database'
import type { LoginProblem } from './browser-login.ts'
import { lockRecord, updatePayload } from './records-store.ts'

const toResult = ({ error, reason, description }: LoginProblem) => ({
  error,
  error_reason: reason,
  error_description: description,
})

/** Writes into a request that waits for a login what came of it. One that is over by now is told nothing. */
export async function tellInteraction(
  tx: Tx,
  digest: string,
  outcome: { readonly memberId: string } | { readonly problem: LoginProblem },
): Promise<void> {
  const record = await lockRecord(tx, digest)
  if (!record) return
  const { session: _, ...payload } = JSON.parse(record.payload) as AdapterPayload
  const result =
    'memberId' in outcome ? { login: { accountId: outcome.memberId } } : toResult(outcome.problem)
  // Whoever logged in may be another member than the one whom the browser was known as.
  await updatePayload(tx, digest, JSON.stringify({ ...payload, result }))
}
