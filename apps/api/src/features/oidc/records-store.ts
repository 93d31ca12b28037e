import { batcher } from '#platform/db/batcher'
import type { Database, Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * A record of the protocol library: a code, a token, a session of a browser, or a request in progress. It is found by
 * the digest of the value that identifies it.
 */
export interface RecordRow {
  /** JSON from `toStored`. */
  readonly payload: string
  readonly sessionId: string | null
  readonly digest: string
  readonly isExpired: boolean
  /** Seconds since the record was consumed; null if it is unused. */
  readonly consumedAgoSec: number | null
}

const columns = sql`
  payload, session_id as "sessionId", digest, expires_at <= clock_now() as "isExpired",
  extract(epoch from clock_now() - consumed_at)::float8 as "consumedAgoSec"`

/** A record to store. */
export interface NewRecord {
  readonly digest: string
  readonly model: string
  readonly sessionId: string | null
  /** The digests of the other values that can find a record. */
  readonly uidDigest: string | null
  readonly userCodeDigest: string | null
  readonly payload: string
  /** The bucket of the IP address that created the record, for `trimRecords`. */
  readonly address: string | null
  readonly ttlSec: number
}

/**
 * Inserts a record. If it exists, updates its payload, its expiry, and its session.
 *
 * Returns false and changes nothing if the record belongs to another session or was used. So if two people confirm the
 * same device code, only one succeeds.
 */
export const upsertRecord = async (db: Queryable, r: NewRecord): Promise<boolean> =>
  (await writeRecord(db, r)) > 0

const writeRecord = (db: Queryable, r: NewRecord) =>
  db.execute(sql`
    insert into oidc_records (digest, model, session_id, uid_digest, user_code_digest, payload, address, expires_at)
    values (${r.digest}, ${r.model}, ${r.sessionId}::uuid, ${r.uidDigest}, ${r.userCodeDigest}, ${r.payload}, ${r.address},
      clock_now() + ${r.ttlSec}::int * interval '1 second')
    on conflict (digest) do update set payload = excluded.payload, expires_at = excluded.expires_at,
      session_id = coalesce(excluded.session_id, oidc_records.session_id)
    where coalesce(oidc_records.session_id = excluded.session_id, true) and oidc_records.consumed_at is null`)

/** The grant of a session: the scopes to which the client has access, separated by spaces. */
export interface StoredGrant {
  readonly scope: string
  /** The address of the metadata document that describes the client; null if the client is the project itself. */
  readonly clientId: string | null
}

/** A record with the grant of its session; undefined for a record without a session. */
export interface GrantedRecord extends RecordRow {
  readonly grant: StoredGrant | undefined
}

/**
 * Creates a function that reads a record by its digest. Simultaneous calls share one statement. The function returns
 * undefined for an unknown record.
 */
export const recordsReader = (db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>) =>
  batcher(async (digests: string[]): Promise<(GrantedRecord | undefined)[]> => {
    const rows = await db.batched<RecordRow & { scope: string | null; clientId: string | null }>(sql`
      select r.*, o.scope, o.client_id as "clientId"
      from (select ${columns} from oidc_records where digest = any(${digests}::text[]) offset 0) r
      left join oidc_sessions o on o.session_id = r."sessionId"`)
    const found = new Map(rows.map((row) => [row.digest, toGranted(row)]))
    return digests.map((digest) => found.get(digest))
  }, db.maxBatchesAtOnce)

const toGranted = ({
  scope,
  clientId,
  ...row
}: RecordRow & { scope: string | null; clientId: string | null }): GrantedRecord => ({
  ...row,
  grant: scope === null ? undefined : { scope, clientId },
})

/** Finds the record of a browser's session with the library, even if it has expired. */
export const findRecordByUid = (db: Queryable, uidDigest: string) =>
  db.maybeOne<RecordRow>(sql`select ${columns} from oidc_records where uid_digest = ${uidDigest}`)

export const findRecordByUserCode = (db: Queryable, userCodeDigest: string) =>
  db.maybeOne<RecordRow>(sql`select ${columns} from oidc_records where user_code_digest = ${userCodeDigest}`)

/**
 * Marks a record as used. Returns undefined if it was used before. Exactly one of several simultaneous calls succeeds.
 */
export const consumeRecord = (tx: Tx, digest: string) =>
  tx.maybeOne<{ sessionId: string | null }>(sql`
    update oidc_records set consumed_at = clock_now() where digest = ${digest} and consumed_at is null
    returning session_id as "sessionId"`)

/**
 * Marks a device code as used. It can be used again for `graceSec` seconds after the first time, because the device may
 * not have received the response. Later, returns undefined.
 */
export const redeemDeviceCode = (tx: Tx, digest: string, graceSec: number) =>
  tx.maybeOne<{ sessionId: string | null }>(sql`
    update oidc_records set consumed_at = coalesce(consumed_at, clock_now())
    where digest = ${digest}
      and coalesce(consumed_at > clock_now() - ${graceSec}::int * interval '1 second', true)
    returning session_id as "sessionId"`)

/**
 * Records a poll for a device code. Returns false if less than `intervalSec` seconds have passed since the last
 * recorded poll. Exactly one of several simultaneous polls is recorded.
 */
export const notePoll = async (db: Queryable, digest: string, intervalSec: number): Promise<boolean> =>
  (await db.execute(sql`
    update oidc_records set polled_at = clock_now()
    where digest = ${digest}
      and coalesce(polled_at <= clock_now() - ${intervalSec}::int * interval '1 second', true)`)) > 0

export const deleteRecord = (db: Queryable, digest: string) =>
  db.execute(sql`delete from oidc_records where digest = ${digest}`)

/** Reads the payload of a record, and locks the record until the transaction ends. Undefined if it has expired. */
export const lockRecord = (tx: Tx, digest: string) =>
  tx.maybeOne<{ payload: string }>(sql`
    select payload from oidc_records where digest = ${digest} and expires_at > clock_now() for update`)

/** Replaces the payload of a record. Call `lockRecord` first, so that no concurrent change is lost. */
export const updatePayload = (tx: Tx, digest: string, payload: string) =>
  tx.execute(sql`update oidc_records set payload = ${payload} where digest = ${digest}`)

/**
 * Deletes records without a session until at most `most` are left. Begins with the oldest records of the addresses that
 * have the most, so that a flood from a few addresses evicts its own records. Records with a session, such as tokens,
 * are kept, because each of them required a sign-in.
 */
export const trimRecords = (db: Queryable, most: number) =>
  db.execute(sql`
    delete from oidc_records where digest in (
      select digest from (
        select digest, created_at, row_number() over (partition by address order by created_at desc, digest) as place
        from oidc_records where session_id is null) ranked
      order by place desc, created_at
      limit greatest(0, (select count(*) from oidc_records where session_id is null) - ${most}::bigint))`)

/** Stores the grant of a new session. */
export const insertGrant = (tx: Tx, g: StoredGrant & { sessionId: string; projectId: string }) =>
  tx.execute(sql`
    insert into oidc_sessions (session_id, project_id, client_id, scope)
    values (${g.sessionId}, ${g.projectId}, ${g.clientId}, ${g.scope})`)

/**
 * Deletes the records that contain the ID of an erased member. Records of a session are deleted with the session.
 */
export const eraseRecords = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from oidc_records where position(${memberId} in payload) > 0`)
