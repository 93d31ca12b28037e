import type { Tx } from '#platform/db/database'
import { allowInTransaction, eraseFromEntries, findEntriesNaming } from './chain-store.ts'
import type { By, RecordAudit } from './event.ts'
import { lockHead } from './store.ts'

/**
 * The action of the entry that records an erasure. Its `changes.auditEntries.after` is the number of entries that lost
 * values.
 */
export const erasureAction = 'member.erase'

/**
 * Permits the transaction to erase personal data from the audit log and the access trail. They still reject every other
 * change.
 */
export const allowErasure = (tx: Tx) => allowInTransaction(tx, 'erasure')

/**
 * Erases a member from the audit log. Records the erasure with the number of changed entries, which verification
 * compares. The new entry names the actor, but not the erased member. Call it last in the transaction, because every
 * other writer of the log waits for it.
 */
export async function eraseMemberFromEntries(
  tx: Tx,
  record: RecordAudit,
  by: By,
  memberId: string,
): Promise<void> {
  // Reads the log, which may be long, before the lock makes other writers wait.
  const named = (await findEntriesNaming(tx, memberId)) ?? { upTo: 0, seqs: [] }
  const head = await lockHead(tx)
  await allowErasure(tx)
  const entries = await eraseFromEntries(tx, memberId, named, head.seq + 1)
  await record(tx, {
    ...by,
    actionType: 'member',
    action: erasureAction,
    severity: 'warning',
    summary: `A member was erased, including from entries of this log: ${entries}.`,
    changes: { auditEntries: { before: null, after: entries } },
  })
}
