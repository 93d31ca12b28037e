import type { Database, Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { HashedEntry, PersonalPart } from './entry.ts'

/**
 * An entry with every field that its hash covers, and the two ends of the chain in the same snapshot. "The chain" is
 * the audit log: the hash of each entry covers the hash of the entry before it.
 */
export type ChainRow = Omit<HashedEntry, 'seq'> & {
  /** Null if the log is empty. The row then contains only the ends of the chain. */
  readonly seq: number | null
  readonly previousHash: string
  readonly hash: string
  readonly erasedBy: number | null
  readonly headSeq: number
  readonly headHash: string
  /** The last entry that retention has removed. The log begins after it. */
  readonly startSeq: number
  readonly startHash: string
} & { readonly [Part in PersonalPart as `${Part}Salt`]: string | null } & {
  /** Null in entries that are older than commitments (see `entry.ts`). */
  readonly [Part in PersonalPart as `${Part}Commitment`]: string | null
}

/**
 * The columns of an entry and the ends of the chain. `changes` is read as text, because the hash covers exactly these
 * characters.
 */
const chainColumns = sql`
  l.seq::float8 as seq, l.id, iso(l.at) as at, l.actor_id as "actorId",
  l.actor_username as "actorUsername", l.action_type as "actionType", l.action, l.severity,
  l.target_type as "targetType", l.target_id as "targetId", l.target_name as "targetName", l.summary,
  l.changes::text as changes, l.ip, l.request_id as "requestId", l.previous_hash as "previousHash", l.hash,
  l.actor_salt as "actorSalt", l.actor_commitment as "actorCommitment", l.target_salt as "targetSalt",
  l.target_commitment as "targetCommitment", l.summary_salt as "summarySalt",
  l.summary_commitment as "summaryCommitment", l.erased_by::float8 as "erasedBy",
  h.seq::float8 as "headSeq", h.hash as "headHash", s.seq::float8 as "startSeq", s.hash as "startHash"`

/** Reads the whole chain in order, in pages. */
export const streamChain = (db: Pick<Database, 'stream'>) =>
  db.stream<ChainRow>(
    sql`
    select ${chainColumns}
    from audit_head h cross join audit_start s left join audit_log l on l.seq > s.seq
    order by l.seq`,
    1_000,
  )

/**
 * Reads one page of the chain, after an entry or from its beginning. If the log is empty, returns one row without an
 * entry.
 */
export const readChainPage = (db: Queryable, afterSeq: number, limit: number) =>
  db.query<ChainRow>(sql`
    select ${chainColumns}
    from audit_head h cross join audit_start s left join lateral (
      select * from audit_log e where e.seq > greatest(s.seq, ${afterSeq}::bigint) order by e.seq limit ${limit}) l on true
    order by l.seq`)

/** Declares which change the transaction may make to the append-only tables. Triggers reject all others. */
export const allowInTransaction = (tx: Tx, what: 'erasure' | 'retention') =>
  tx.execute(sql`select set_config('rolecall.audit', ${what}, true)`)

/**
 * A condition that is true for entries that name a member: as the actor, as the target, in the changes, or in the
 * summary.
 */
export const namesMember = (memberId: string): Sql => sql`(
  actor_id = ${memberId} or target_id = ${memberId} or position(${memberId} in changes::text) > 0
  or position(${memberId} in summary) > 0)`

/**
 * Finds the entries that name a member, up to the current end of the chain. Reads the whole log, without blocking other
 * transactions.
 */
export const findEntriesNaming = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ readonly upTo: number; readonly seqs: readonly number[] }>(sql`
    select h.seq::float8 as "upTo", array(
      select l.seq::float8 from audit_log l where l.seq <= h.seq and ${namesMember(memberId)}) as seqs
    from audit_head h`)

/**
 * Erases the parts of entries that name a member, each with its salt: the actor, the target, and the summary. Covers
 * the entries that `findEntriesNaming` has found, and all entries since. `erasedBy` is the entry that records the
 * erasure.
 */
export const eraseFromEntries = (
  tx: Tx,
  memberId: string,
  { upTo, seqs }: { readonly upTo: number; readonly seqs: readonly number[] },
  erasedBy: number,
) =>
  tx.execute(sql`
    with named as (
      select seq, actor_id is not distinct from ${memberId} as by_them,
        target_id is not distinct from ${memberId} or coalesce(position(${memberId} in changes::text), 0) > 0 as to_them
      from audit_log
      where seq = any(${seqs}::bigint[]) or seq > ${upTo}::bigint and ${namesMember(memberId)})
    update audit_log l set erased_by = ${erasedBy},
      actor_id = case when not n.by_them then l.actor_id end,
      actor_username = case when not n.by_them then l.actor_username end,
      ip = case when not n.by_them then l.ip end,
      actor_salt = case when not n.by_them then l.actor_salt end,
      target_id = case when not n.to_them then l.target_id end,
      target_name = case when not n.to_them then l.target_name end,
      changes = case when not n.to_them then l.changes end,
      target_salt = case when not n.to_them then l.target_salt end,
      summary = null, summary_salt = null
    from named n where l.seq = n.seq`)

/** The last entry that retention removes. */
export interface Cut {
  readonly seq: number
  readonly hash: string
}

/**
 * Finds the last entry that is older than this number of days, but only if the log begins at least a day before it. So
 * the log gets a new beginning once a day, and not for each entry that becomes too old.
 */
export const findRetentionCut = (db: Queryable, days: number) =>
  db.maybeOne<Cut & { readonly before: number }>(sql`
    select l.seq, l.hash, s.seq as before
    from audit_start s cross join lateral (
      select seq, hash from audit_log where at < clock_now() - ${days}::int * interval '1 day'
      order by at desc, seq desc limit 1) l
    where l.seq > s.seq and exists (
      select from audit_log o
      where o.seq = s.seq + 1 and o.at < clock_now() - (${days}::int + 1) * interval '1 day')`)

/** Sets the beginning of the log after this entry. */
export const moveStart = (tx: Tx, { seq, hash }: Cut) =>
  tx.execute(sql`update audit_start set seq = ${seq}, hash = ${hash} where seq < ${seq}`)

/** Deletes up to `limit` entries before the beginning of the log, and returns their number. */
export const deleteRetiredEntries = (tx: Tx, limit: number) =>
  tx.execute(sql`
    delete from audit_log where seq in (
      select l.seq from audit_log l where l.seq <= (select seq from audit_start) order by l.seq limit ${limit})`)
