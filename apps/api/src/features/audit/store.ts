import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { HashedEntry } from './entry.ts'

interface Head {
  seq: number
  hash: string
  now: Date
}

/** The end of the chain, locked until the transaction ends: entries are appended one after another. */
export async function lockHead(tx: Tx): Promise<Head> {
  const head = await tx.maybeOne<Head>(sql`select seq, hash, clock_now() as now from audit_head for update`)
  if (!head) throw new Error('The audit chain has lost its head.')
  return head
}

export async function appendEntry(tx: Tx, entry: HashedEntry, previousHash: string, hash: string) {
  await tx.execute(sql`
    with entry as (
      insert into audit_log (seq, id, at, actor_id, actor_username, action_type, action, severity,
        target_type, target_id, target_name, summary, changes, ip, request_id, previous_hash, hash)
      values (${entry.seq}, ${entry.id}, ${entry.at}, ${entry.actorId}, ${entry.actorUsername},
        ${entry.actionType}, ${entry.action}, ${entry.severity}, ${entry.targetType}, ${entry.targetId},
        ${entry.targetName}, ${entry.summary}, ${entry.changes}, ${entry.ip}, ${entry.requestId},
        ${previousHash}, ${hash}))
    update audit_head set seq = ${entry.seq}, hash = ${hash}`)
}
