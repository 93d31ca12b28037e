import { fingerprintOf } from '#platform/crypto/seal'
import { type Queryable, sqlState } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Config } from '../../config.ts'

type Keys = Pick<Config, 'outboundKey' | 'inboundKey'>

/**
 * Notes the fingerprint of each encryption key the first time, and compares it ever after. Returns a sentence
 * for each key that is no longer the one that secrets were sealed under: there is no key rotation.
 */
export async function checkKeyFingerprints(db: Queryable, keys: Keys): Promise<string[]> {
  for (const { name, fingerprint } of fingerprintsOf(keys)) await noteFingerprint(db, name, fingerprint)
  return (await changedKeys(db, keys)).problems
}

/** The fingerprints of the configured keys, and a sentence for each that is not the stored one. Writes nothing. */
export async function changedKeys(db: Queryable, keys: Keys) {
  const stored = await readFingerprints(db)
  const fingerprints = fingerprintsOf(keys)
  const problems = fingerprints
    .filter(({ name, fingerprint }) => (stored.get(name) ?? fingerprint) !== fingerprint)
    .map(
      ({ name }) =>
        `${name} is not the key that stored secrets were sealed under: they cannot be read. Restore the old key.`,
    )
  return { fingerprints, problems }
}

function fingerprintsOf({ outboundKey, inboundKey }: Keys) {
  const keys = { OUTBOUND_WEBHOOK_ENCRYPTION_KEY: outboundKey, INBOUND_WEBHOOK_ENCRYPTION_KEY: inboundKey }
  return Object.entries(keys).flatMap(([name, key]) =>
    key ? [{ name, fingerprint: fingerprintOf(key) }] : [],
  )
}

/** Keeps the first fingerprint of each key. */
const noteFingerprint = (db: Queryable, purpose: string, fingerprint: string) =>
  db.execute(sql`
    insert into key_fingerprints (purpose, fingerprint) values (${purpose}, ${fingerprint}) on conflict do nothing`)

/** By the name of the variable; none in a database without tables. */
async function readFingerprints(db: Queryable): Promise<Map<string, string>> {
  const rows = await db
    .query<{ purpose: string; fingerprint: string }>(sql`select purpose, fingerprint from key_fingerprints`)
    .catch((error: unknown) => (sqlState(error) === undefinedTable ? [] : Promise.reject(error)))
  return new Map(rows.map(({ purpose, fingerprint }) => [purpose, fingerprint]))
}

const undefinedTable = '42P01'
