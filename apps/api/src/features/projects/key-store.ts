import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** True for a key `k` that ended by time and was not revoked before. */
export const isExpired = sql`coalesce(k.expires_at <= coalesce(k.revoked_at, clock_now()), false)`

const isWorking = sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now())`

interface NewKey {
  readonly id: string
  readonly projectId: string
  readonly prefix: string
  readonly digest: string
  readonly note: string | null
  readonly expiresAt: string | null
}

/** Stores the newest key of a project. Returns undefined if its end is in the past. */
export const insertApiKey = (tx: Tx, key: NewKey) =>
  tx.maybeOne<{ createdAt: Date }>(sql`
    insert into api_keys (id, project_id, prefix, digest, note, expires_at)
    select ${key.id}, ${key.projectId}, ${key.prefix}, ${key.digest}, ${key.note}, ${key.expiresAt}::timestamptz
    where ${key.expiresAt}::timestamptz is null or ${key.expiresAt}::timestamptz > clock_now()
    returning created_at as "createdAt"`)

/** Locks the keys of a project, in the same order as the statement that counts uses. */
export const lockKeys = (tx: Tx, projectId: string) =>
  tx.execute(sql`select from api_keys where project_id = ${projectId} order by id for no key update`)

export async function countWorkingKeys(tx: Tx, projectId: string): Promise<number> {
  const row = await tx.maybeOne<{ n: number }>(
    sql`select count(*) as n from working_keys where project_id = ${projectId}`,
  )
  return row?.n ?? 0
}

/** Whole seconds from now to this time. */
export async function secondsUntil(tx: Tx, at: string): Promise<number> {
  const row = await tx.maybeOne<{ sec: number }>(sql`
    select ceil(extract(epoch from ${at}::timestamptz - clock_now()))::float8 as sec`)
  return row?.sec ?? 0
}

export interface Replacement {
  readonly successorId: string
  readonly graceSec: number
  /** The end of the replaced key, where it was given as a time. */
  readonly until: string | null
  /** True if the notice about its end is sent at once instead of later. */
  readonly isAnnouncedNow: boolean
}

/**
 * Replaces the newest key with another. The replaced key ends now, or, if it was valid, after the grace period. Its
 * predecessors that still work end with it, or keep their ends and become predecessors of the new key.
 */
export const replaceNewestKey = (
  tx: Tx,
  projectId: string,
  { successorId, graceSec, until, isAnnouncedNow }: Replacement,
) =>
  tx.query<{ wasNewest: boolean; isWorking: boolean; prefix: string; endsAt: Date | null }>(sql`
    update api_keys k set
      successor_id = ${successorId}, replaced_at = coalesce(k.replaced_at, clock_now()),
      uses_before = case when k.replaced_at is null then k.uses else k.uses_before end,
      revoked_at = case when ${graceSec}::int = 0 then coalesce(k.revoked_at, clock_now()) else k.revoked_at end,
      expires_at = case when k.replaced_at is null and ${graceSec}::int > 0
        then least(k.expires_at, coalesce(${until}::timestamptz, clock_now() + ${graceSec}::int * interval '1 second'))
        else k.expires_at end,
      ending_told_at = case when ${isAnnouncedNow}::boolean and k.replaced_at is null and k.revoked_at is null
        then clock_now() else k.ending_told_at end
    from api_keys newest
    where newest.project_id = ${projectId} and newest.replaced_at is null
      and (k.id = newest.id or k.successor_id = newest.id)
    returning k.id = newest.id as "wasNewest", ${isWorking} as "isWorking", k.prefix, k.expires_at as "endsAt"`)

/** Marks the newest key as no longer the newest. It continues to work. */
export const standBack = (tx: Tx, projectId: string) =>
  tx.execute(sql`
    update api_keys set replaced_at = clock_now() where project_id = ${projectId} and replaced_at is null`)

/** Revokes a key and its predecessors. */
export const revokeKey = (tx: Tx, projectId: string, keyId: string) =>
  tx.execute(sql`
    update api_keys set revoked_at = clock_now()
    where project_id = ${projectId} and (id = ${keyId} or successor_id = ${keyId}) and revoked_at is null`)

/** Restores the newest key if it was revoked; an expired key stays expired. */
export const restoreNewestKey = (tx: Tx, projectId: string) =>
  tx.execute(sql`
    update api_keys k set revoked_at = null
    where k.project_id = ${projectId} and k.replaced_at is null and k.revoked_at is not null and not ${isExpired}`)

export interface KeyRow {
  readonly id: string
  readonly prefix: string
  readonly note: string | null
  readonly status: 'active' | 'replaced' | 'revoked' | 'expired'
  readonly isNewest: boolean
  readonly createdAt: Date
  readonly replacedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
  readonly uses: number
  readonly usesSinceReplaced: number
}

/** Lists the keys of a project, newest first: those that work, the newest, and the remaining ones. */
export const listKeys = (db: Queryable, projectId: string, limit: number) =>
  db.query<KeyRow>(sql`
    select k.id, k.prefix, k.note,
      case when ${isExpired} then 'expired' when k.revoked_at is not null then 'revoked'
        when k.successor_id is not null then 'replaced' else 'active' end as status,
      k.replaced_at is null as "isNewest", k.created_at as "createdAt", k.replaced_at as "replacedAt",
      k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt", k.uses,
      case when k.successor_id is null then 0 else k.uses - k.uses_before end as "usesSinceReplaced"
    from api_keys k where k.project_id = ${projectId}
    order by ${isWorking} desc, k.created_at desc, k.id desc limit ${limit}`)

export const findKey = (tx: Tx, projectId: string, keyId: string) =>
  tx.maybeOne<{ prefix: string }>(
    sql`select prefix from api_keys where project_id = ${projectId} and id = ${keyId}`,
  )

export const findNewestKeyId = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ id: string }>(
    sql`select id from api_keys where project_id = ${projectId} and replaced_at is null`,
  )

/**
 * Stores the end of keys that ended by time. They are already rejected everywhere; the stored end closes their streams,
 * and makes versions that do not know such an end reject them, too.
 */
export const endExpiredKeys = (tx: Tx) =>
  tx.execute(sql`
    update api_keys set revoked_at = expires_at where id in (
      select id from api_keys where revoked_at is null and expires_at <= clock_now()
      order by id limit 500 for no key update skip locked)`)

export interface EndingKey {
  readonly projectId: string
  readonly projectName: string
  readonly prefix: string
  readonly note: string | null
  readonly endsAt: Date
  readonly isReplaced: boolean
  readonly usesSinceReplaced: number
}

/**
 * Marks keys that end soon as announced, and returns them: a replaced key an hour before its end, others a week before.
 */
export const takeEndingKeys = (tx: Tx) =>
  tx.query<EndingKey>(sql`
    update api_keys k set ending_told_at = clock_now()
    from projects p
    where p.id = k.project_id and p.deleted_at is null and k.id in (
      select id from api_keys
      where revoked_at is null and ending_told_at is null and expires_at > clock_now()
        and expires_at <= clock_now() + case when successor_id is null then interval '7 days' else interval '1 hour' end
      order by id limit 100 for no key update skip locked)
    returning p.id as "projectId", p.name as "projectName", k.prefix, k.note, k.expires_at as "endsAt",
      k.successor_id is not null as "isReplaced", k.uses - k.uses_before as "usesSinceReplaced"`)
