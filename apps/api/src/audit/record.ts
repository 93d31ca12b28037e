import { uuidv7 } from '#platform/crypto/uuid'
import { createCommitments, type HashedEntry, hashOf } from './entry.ts'
import type { AuditEvent, RecordAudit } from './event.ts'
import { appendEntries, type ChainedEntry, type Head, lockHead } from './store.ts'

/**
 * Appends entries to the audit log, in the transaction of the change that they record. So there is no change without an
 * entry.
 */
export const recordAudit: RecordAudit = async (tx, recorded) => {
  const events = [recorded].flat()
  if (events.length === 0) return
  const head = await lockHead(tx)
  const entries: ChainedEntry[] = []
  let previousHash = head.hash
  for (const event of events) {
    const entry = toEntry(event, head, head.seq + entries.length + 1)
    const commitments = createCommitments(entry)
    const hash = hashOf(previousHash, entry, commitments)
    const chained = { ...entry, ...commitments, previousHash, hash }
    entries.push(chained)
    previousHash = hash
  }
  await appendEntries(tx, entries)
}

/** Replaces lone surrogates. The database would do so anyway, and the hash must match the stored text. */
const toEntry = (event: AuditEvent, { now }: Head, seq: number): HashedEntry => ({
  seq,
  id: uuidv7(),
  at: now.toISOString(),
  actorId: event.actor?.id ?? null,
  actorUsername: event.actor?.username.toWellFormed() ?? null,
  actionType: event.actionType,
  action: event.action,
  severity: event.severity ?? 'info',
  targetType: event.target?.type ?? null,
  targetId: event.target?.id ?? null,
  targetName: event.target?.name?.toWellFormed() ?? null,
  summary: event.summary.toWellFormed(),
  changes: event.changes ? JSON.stringify(event.changes, undefinedToNull) : null,
  ip: event.client?.ip ?? null,
  requestId: event.client?.requestId ?? null,
})

/** A missing value is null in an entry, so no key is ever missing. */
const undefinedToNull = (_key: string, value: unknown) => value ?? null
