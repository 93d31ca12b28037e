import type { Tx } from '#platform/db/database'
import { allowInTransaction, eraseFromEntries, findNamed } from './chain-store.ts'
import type { By, RecordAudit } from './event.ts'
import { lockHead } from './store.ts'

/**
 * The action of an entry that records an erasure: `changes.auditEntries.after` is the number of entries that lost
 * parts.
 */
export const erasureAction = 'member.erase'

/**
 * Declares that the transaction erases personal data. The audit log and the access trail then allow it to remove
 * values, and no other change.
 */
export const allowErasure = (tx: Tx) => allowInTransaction(tx, 'erasure')

/**
 * Erases a member from the log, and records the erasure with the number of changed entries, which verification
 * counts. The entry names the actor and not the erased member. Called last in the transaction: every other writer
 * of the log waits for it.
 */
export async function eraseMemberFromEntries(
  tx: Tx,
  record: RecordAudit,
  by: By,
  memberId: string,
): Promise<void> {
  // The log may be long: it is read before the lock makes other writers wait.
  const found = (await findNamed(tx, memberId)) ?? { upTo: 0, seqs: [] }
  const head = await lockHead(tx)
  await allowErasure(tx)
  const entries = await eraseFromEntries(tx, memberId, found, head.seq + 1)
  await record(tx, {
    ...by,
    actionType: 'member',
    action: erasureAction,
    severity: 'warning',
    summary: `A member was erased, including from entries of this log: ${entries}.`,
    changes: { auditEntries: { before: null, after: entries } },
  })
}
