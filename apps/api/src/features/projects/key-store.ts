import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Matches a key `k` that expired, and was not revoked before. */
export const isExpired = sql`coalesce(k.expires_at <= coalesce(k.revoked_at, clock_now()), false)`

/** Matches a key `k` that is valid now, if its project is active. */
const isWorking = sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_now())`

/** A new API key, with its digest. `prefix` is the part that is shown. */
interface NewKey {
  readonly id: string
  readonly projectId: string
  readonly prefix: string
  readonly digest: string
  readonly note: string | null
  readonly expiresAt: string | null
}

/** Stores a key, as the newest of its project. Returns undefined if its expiry is not in the future. */
export const insertApiKey = (tx: Tx, key: NewKey) =>
  tx.maybeOne<{ createdAt: Date }>(sql`
    insert into api_keys (id, project_id, prefix, digest, note, expires_at)
    select ${key.id}, ${key.projectId}, ${key.prefix}, ${key.digest}, ${key.note}, ${key.expiresAt}::timestamptz
    where ${key.expiresAt}::timestamptz is null or ${key.expiresAt}::timestamptz > clock_now()
    returning created_at as "createdAt"`)

/**
 * Locks the keys of a project, in the same order as the statement that counts their uses, so that no deadlock can
 * occur.
 */
export const lockKeys = (tx: Tx, projectId: string) =>
  tx.execute(sql`select from api_keys where project_id = ${projectId} order by id for no key update`)

/** Counts the keys that are neither revoked nor expired. */
export async function countWorkingKeys(tx: Tx, projectId: string): Promise<number> {
  const row = await tx.maybeOne<{ n: number }>(
    sql`select count(*) as n from working_keys where project_id = ${projectId}`,
  )
  return row?.n ?? 0
}

/** Returns the whole seconds from now, by the database's clock, to a time. */
export async function secondsUntil(tx: Tx, at: string): Promise<number> {
  const row = await tx.maybeOne<{ sec: number }>(sql`
    select ceil(extract(epoch from ${at}::timestamptz - clock_now()))::float8 as sec`)
  return row?.sec ?? 0
}

/** The replacement of a key. */
export interface Replacement {
  readonly successorId: string
  /** The grace period in seconds. 0 ends the replaced key immediately. */
  readonly graceSec: number
  /** The end of the replaced key, if the request named a time. Otherwise null. */
  readonly until: string | null
  /** True if the end of the replaced key is announced now, so that it is not announced again later. */
  readonly isAnnouncedNow: boolean
}

/**
 * Marks the newest key as replaced by `successorId`, and ends it now or after the grace period. The keys that it has
 * replaced itself get the same successor. Without a grace period, they end, too. Otherwise they keep their ends.
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

/** Marks the newest key as no longer the newest. It stays valid, and gets no successor. */
export const standBack = (tx: Tx, projectId: string) =>
  tx.execute(sql`
    update api_keys set replaced_at = clock_now() where project_id = ${projectId} and replaced_at is null`)

/** Revokes a key, and the keys that it replaced. Returns the number of revoked keys. */
export const revokeKey = (tx: Tx, projectId: string, keyId: string) =>
  tx.execute(sql`
    update api_keys set revoked_at = clock_now()
    where project_id = ${projectId} and (id = ${keyId} or successor_id = ${keyId}) and revoked_at is null`)

/** Restores the newest key if it was revoked and has not expired. Returns the number of restored keys: 0 or 1. */
export const restoreNewestKey = (tx: Tx, projectId: string) =>
  tx.execute(sql`
    update api_keys k set revoked_at = null
    where k.project_id = ${projectId} and k.replaced_at is null and k.revoked_at is not null and not ${isExpired}`)

/** An API key, as the list shows it. */
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

/** Lists the keys of a project: first those that are valid, and then the others, each newest first. */
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
 * Stores the end of expired keys as their revocation. The keys have been rejected since they expired. This change
 * writes the event that closes their streams.
 */
export const endExpiredKeys = (tx: Tx) =>
  tx.execute(sql`
    update api_keys set revoked_at = expires_at where id in (
      select id from api_keys where revoked_at is null and expires_at <= clock_now()
      order by id limit 500 for no key update skip locked)`)

/** A key that expires soon. */
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
 * Marks keys that expire soon as announced, and returns them. A replaced key is announced an hour before its end, and
 * any other a week before.
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
