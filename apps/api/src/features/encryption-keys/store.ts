import { type Queryable, sqlState } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Stores the fingerprint of a key, unless one is stored already. */
export const insertFingerprint = (db: Queryable, purpose: string, fingerprint: string) =>
  db.execute(sql`
    insert into key_fingerprints (purpose, fingerprint) values (${purpose}, ${fingerprint}) on conflict do nothing`)

/** The SQL state of PostgreSQL for a missing table. */
const undefinedTable = '42P01'

/**
 * Returns the stored fingerprints of encryption keys, by the environment variable of the key. Returns an empty map if
 * the database has no tables yet.
 */
export async function readFingerprints(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .query<{ purpose: string; fingerprint: string }>(sql`select purpose, fingerprint from key_fingerprints`)
    .catch((error: unknown) => (sqlState(error) === undefinedTable ? [] : Promise.reject(error)))
  return new Map(rows.map(({ purpose, fingerprint }) => [purpose, fingerprint]))
}

/** An inbound webhook with its encrypted secret. */
export interface SealedSecret {
  readonly id: string
  readonly name: string
  readonly sealed: Uint8Array
}

const pageSize = 500

/** Lists a page of inbound webhooks with their encrypted secrets, in the order of their IDs, after the ID `after`. */
export const pageOfSecrets = (db: Queryable, after: string | undefined) =>
  db.query<SealedSecret>(sql`
    select id, name, secret_sealed as sealed from inbound_webhooks
    where deleted_at is null and ${after === undefined ? sql`true` : sql`id > ${after}`}
    order by id limit ${pageSize}`)
