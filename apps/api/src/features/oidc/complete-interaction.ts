import type { AdapterPayload } from 'oidc-provider'
import type { Tx } from '#platform/db/database'
import type { LoginProblem } from './browser-login.ts'
import { lockRecord, updatePayload } from './records-store.ts'

/** Converts a refusal to the form in which the library stores the result of an interaction. */
const toResult = ({ error, reason, description }: LoginProblem) => ({
  error,
  error_reason: reason,
  error_description: description,
})

/**
 * Writes the result of a sign-in into the interaction that waits for it: the library's record of an authorization
 * request. Does nothing if the interaction has ended.
 */
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
  // The former session is removed, because another member may have signed in with this browser.
  await updatePayload(tx, digest, JSON.stringify({ ...payload, result }))
}
