import { type Queryable, sqlState } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Stores the fingerprint of a key, unless one is stored already. */
export const insertFingerprint = (db: Queryable, purpose: string, fingerprint: string) =>
  db.execute(sql`
    insert into key_fingerprints (purpose, fingerprint) values (${purpose}, ${fingerprint}) on conflict do nothing`)

const undefinedTable = '42P01'

/** Returns the fingerprints of the keys that first sealed secrets, by variable; none in a database without tables. */
export async function readFingerprints(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .query<{ purpose: string; fingerprint: string }>(sql`select purpose, fingerprint from key_fingerprints`)
    .catch((error: unknown) => (sqlState(error) === undefinedTable ? [] : Promise.reject(error)))
  return new Map(rows.map(({ purpose, fingerprint }) => [purpose, fingerprint]))
}

export interface SealedSecret {
  readonly id: string
  readonly name: string
  readonly sealed: Uint8Array
}

const pageSize = 500

/** Lists inbound webhooks with their sealed secrets, in the order of their IDs. */
export const pageOfSecrets = (db: Queryable, after: string | undefined) =>
  db.query<SealedSecret>(sql`
    select id, name, secret_sealed as sealed from inbound_webhooks
    where deleted_at is null and ${after === undefined ? sql`true` : sql`id > ${after}`}
    order by id limit ${pageSize}`)
