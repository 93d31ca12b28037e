import { uuidv7 } from '#platform/crypto/uuid'
import { type HashedEntry, hashOf } from './entry.ts'
import type { RecordAudit } from './event.ts'
import { appendEntry, lockHead } from './store.ts'

/** Appends an entry in the transaction of the change it records: no audit, no change. */
export const recordAudit: RecordAudit = async (tx, event) => {
  const head = await lockHead(tx)
  const entry: HashedEntry = {
    seq: head.seq + 1,
    id: uuidv7(),
    at: head.now.toISOString(),
    actorId: event.actor?.id ?? null,
    actorUsername: event.actor?.username ?? null,
    actionType: event.actionType,
    action: event.action,
    severity: event.severity ?? 'info',
    targetType: event.target?.type ?? null,
    targetId: event.target?.id ?? null,
    targetName: event.target?.name ?? null,
    summary: event.summary,
    changes: event.changes ? JSON.stringify(event.changes, orNull) : null,
    ip: event.client?.ip ?? null,
    requestId: event.client?.requestId ?? null,
  }
  await appendEntry(tx, entry, head.hash, hashOf(head.hash, entry))
}

/** "Not there" is null in an entry, never a missing key. */
const orNull = (_key: string, value: unknown) => value ?? null
