import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { Commitments, HashedEntry } from './entry.ts'

/** The end of the chain: its last entry, and the database's time. */
export interface Head {
  seq: number
  hash: string
  now: Date
}

/**
 * Locks the end of the chain until the transaction ends, so that entries are appended one after another. Returns it.
 */
export async function lockHead(tx: Tx): Promise<Head> {
  const head = await tx.maybeOne<Head>(sql`select seq, hash, clock_now() as now from audit_head for update`)
  if (!head) throw new Error('The audit chain has no head.')
  return head
}

/** An entry with its place in the chain. `hash` covers `previousHash` and all other fields. */
export type ChainedEntry = HashedEntry &
  Commitments & {
    readonly previousHash: string
    readonly hash: string
  }

/** Appends entries to the locked end of the chain, and makes the last of them the new end. */
export async function appendEntries(tx: Tx, entries: readonly ChainedEntry[]) {
  const last = entries.at(-1)
  if (!last) return
  const all = <K extends keyof ChainedEntry>(field: K) => entries.map((entry) => entry[field])
  await tx.execute(sql`
    with appended as (
      insert into audit_log (seq, id, at, actor_id, actor_username, action_type, action, severity,
        target_type, target_id, target_name, summary, changes, ip, request_id, previous_hash, hash,
        actor_salt, actor_commitment, target_salt, target_commitment, summary_salt, summary_commitment)
      select seq, id, at, actor_id, actor_username, action_type, action, severity,
        target_type, target_id, target_name, summary, changes::json, ip, request_id, previous_hash, hash,
        actor_salt, actor_commitment, target_salt, target_commitment, summary_salt, summary_commitment
      from unnest(${all('seq')}::bigint[], ${all('id')}::uuid[], ${all('at')}::timestamptz[],
        ${all('actorId')}::text[], ${all('actorUsername')}::text[], ${all('actionType')}::text[],
        ${all('action')}::text[], ${all('severity')}::text[], ${all('targetType')}::text[],
        ${all('targetId')}::text[], ${all('targetName')}::text[], ${all('summary')}::text[],
        ${all('changes')}::text[], ${all('ip')}::text[], ${all('requestId')}::text[],
        ${all('previousHash')}::text[], ${all('hash')}::text[],
        ${all('actorSalt')}::text[], ${all('actorCommitment')}::text[], ${all('targetSalt')}::text[],
        ${all('targetCommitment')}::text[], ${all('summarySalt')}::text[], ${all('summaryCommitment')}::text[])
        as x (seq, id, at, actor_id, actor_username, action_type, action, severity, target_type, target_id,
          target_name, summary, changes, ip, request_id, previous_hash, hash,
          actor_salt, actor_commitment, target_salt, target_commitment, summary_salt, summary_commitment))
    update audit_head set seq = ${last.seq}, hash = ${last.hash}`)
}

/** An entry as the console shows it. `seq` is its place in the chain, which is not shown. */
export type AuditRow = Omit<HashedEntry, 'at' | 'summary' | 'changes'> & {
  readonly at: Date
  readonly summary: string
  readonly changes: Readonly<Record<string, unknown>> | null
  readonly hash: string
}

/** Replaces a summary that named an erased person. */
const erasedSummary = 'The person named in this entry was erased.'

/** Selects a page of entries, newest first. Entries with the same time are in the order of the chain. */
export const selectEntryPage = (condition: Sql, limit: number, offset: number): Sql => sql`
  select seq::float8 as seq, id, at, actor_id as "actorId", actor_username as "actorUsername", action_type as "actionType",
    action, severity, target_type as "targetType", target_id as "targetId", target_name as "targetName",
    coalesce(summary, ${erasedSummary}) as summary, changes, ip, request_id as "requestId", hash
  from audit_log where ${condition}
  order by audit_log.at desc, seq desc limit ${limit} offset ${offset}`

/** Returns a page of the entries that match a condition, newest first. */
export const listEntries = (db: Queryable, condition: Sql, limit: number, offset: number) =>
  db.query<AuditRow>(selectEntryPage(condition, limit, offset))

/** Returns the number of entries that match a condition. */
export async function countEntries(db: Queryable, condition: Sql): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total from audit_log where ${condition}`,
  )
  return row?.total ?? 0
}
