import type { Tx } from '#platform/db/database'
import { allowInTransaction, eraseFromEntries, findNamed } from './chain-store.ts'
import type { By, RecordAudit } from './event.ts'
import { lockHead } from './store.ts'

/** What an entry of this action says in `changes.auditEntries.after`: of how many entries it has taken parts away. */
export const erasureAction = 'member.erase'

/** Says that the transaction erases: the log and the trail of access let it take away values, and nothing else. */
export const allowErasure = (tx: Tx) => allowInTransaction(tx, 'erasure')

/**
 * Erases a member from the log, and records that it was done and to how many entries: verification counts them. The entry says who
 * did it and not to whom. Last in the transaction: all who record anything wait for it.
 */
export async function eraseMemberFromEntries(
  tx: Tx,
  record: RecordAudit,
  by: By,
  memberId: string,
): Promise<void> {
  // The log may be long: it is read before everybody has to wait.
  const found = (await findNamed(tx, memberId)) ?? { upTo: 0, seqs: [] }
  const head = await lockHead(tx)
  await allowErasure(tx)
  const entries = await eraseFromEntries(tx, memberId, found, head.seq + 1)
  await record(tx, {
    ...by,
    actionType: 'member',
    action: erasureAction,
    severity: 'warning',
    summary: `A member was erased, also from entries of this log: ${entries}.`,
    changes: { auditEntries: { before: null, after: entries } },
  })
}
