import type { AdapterPayload } from 'oidc-provider'
import type { Tx } from '#platform/db/database'
import type { LoginProblem } from './browser-login.ts'
import { lockRecord, updatePayload } from './records-store.ts'

const toResult = ({ error, reason, description }: LoginProblem) => ({
  error,
  error_reason: reason,
  error_description: description,
})

/** Writes the result of a sign-in into the waiting request. Does nothing if that request has ended. */
export async function completeInteraction(
  tx: Tx,
  digest: string,
  outcome: { readonly memberId: string } | { readonly problem: LoginProblem },
): Promise<void> {
  const record = await lockRecord(tx, digest)
  if (!record) return
  const { session: _, ...payload } = JSON.parse(record.payload) as AdapterPayload
  const result =
    'memberId' in outcome ? { login: { accountId: outcome.memberId } } : toResult(outcome.problem)
  // The member who signed in may differ from the previous member of the browser, so the old session is removed.
  await updatePayload(tx, digest, JSON.stringify({ ...payload, result }))
}
