import type { Database, Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { HashedEntry } from './entry.ts'

export interface Head {
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

/** An entry in its place: `hash` is over `previousHash` and everything else of it. */
export interface ChainedEntry extends HashedEntry {
  readonly previousHash: string
  readonly hash: string
}

/** Appends entries that follow the locked head one after another; the last one is the new head. */
export async function appendEntries(tx: Tx, entries: readonly ChainedEntry[]) {
  const last = entries.at(-1)
  if (!last) return
  const all = <K extends keyof ChainedEntry>(field: K) => entries.map((entry) => entry[field])
  await tx.execute(sql`
    with appended as (
      insert into audit_log (seq, id, at, actor_id, actor_username, action_type, action, severity,
        target_type, target_id, target_name, summary, changes, ip, request_id, previous_hash, hash)
      select seq, id, at, actor_id, actor_username, action_type, action, severity,
        target_type, target_id, target_name, summary, changes::json, ip, request_id, previous_hash, hash
      from unnest(${all('seq')}::bigint[], ${all('id')}::uuid[], ${all('at')}::timestamptz[],
        ${all('actorId')}::text[], ${all('actorUsername')}::text[], ${all('actionType')}::text[],
        ${all('action')}::text[], ${all('severity')}::text[], ${all('targetType')}::text[],
        ${all('targetId')}::text[], ${all('targetName')}::text[], ${all('summary')}::text[],
        ${all('changes')}::text[], ${all('ip')}::text[], ${all('requestId')}::text[],
        ${all('previousHash')}::text[], ${all('hash')}::text[])
        as x (seq, id, at, actor_id, actor_username, action_type, action, severity, target_type, target_id,
          target_name, summary, changes, ip, request_id, previous_hash, hash))
    update audit_head set seq = ${last.seq}, hash = ${last.hash}`)
}

/** An entry as it is shown. */
export interface AuditRow {
  readonly id: string
  readonly at: Date
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly actionType: string
  readonly action: string
  readonly severity: string
  readonly targetType: string | null
  readonly targetId: string | null
  readonly targetName: string | null
  readonly summary: string
  readonly changes: Readonly<Record<string, unknown>> | null
  readonly ip: string | null
  readonly requestId: string | null
  readonly hash: string
}

/** Newest first; entries of one moment in the order in which they were chained. */
export const pageOfEntries = (condition: Sql, limit: number, offset: number): Sql => sql`
  select id, at, actor_id as "actorId", actor_username as "actorUsername", action_type as "actionType",
    action, severity, target_type as "targetType", target_id as "targetId", target_name as "targetName",
    summary, changes, ip, request_id as "requestId", hash
  from audit_log where ${condition}
  order by audit_log.at desc, seq desc limit ${limit} offset ${offset}`

export const listEntries = (db: Queryable, condition: Sql, limit: number, offset: number) =>
  db.query<AuditRow>(pageOfEntries(condition, limit, offset))

export async function countEntries(db: Queryable, condition: Sql): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total from audit_log where ${condition}`,
  )
  return row?.total ?? 0
}

/** An entry with everything that its hash covers, and the head as it was in the same moment. */
export interface ChainRow extends Omit<HashedEntry, 'seq'> {
  /** Null in the one row of an empty log. */
  readonly seq: number | null
  readonly previousHash: string
  readonly hash: string
  readonly headSeq: number
  readonly headHash: string
}

/** The whole chain in order, in pages. Changes are text here: the hash is over exactly these characters. */
export const streamChain = (db: Pick<Database, 'stream'>) =>
  db.stream<ChainRow>(
    sql`
    select l.seq::float8 as seq, l.id, iso(l.at) as at, l.actor_id as "actorId",
      l.actor_username as "actorUsername", l.action_type as "actionType", l.action, l.severity,
      l.target_type as "targetType", l.target_id as "targetId", l.target_name as "targetName", l.summary,
      l.changes::text as changes, l.ip, l.request_id as "requestId", l.previous_hash as "previousHash", l.hash,
      h.seq::float8 as "headSeq", h.hash as "headHash"
    from audit_head h left join audit_log l on true
    order by l.seq`,
    1_000,
  )
