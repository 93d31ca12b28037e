import { fingerprintOf } from '#platform/crypto/seal'
import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Config } from '../../config.ts'

/**
 * Notes the fingerprint of each encryption key the first time, and compares it ever after. Returns a sentence
 * for each key that is no longer the one that secrets were sealed under: there is no key rotation.
 */
export async function checkKeyFingerprints(
  db: Queryable,
  { outboundKey, inboundKey }: Pick<Config, 'outboundKey' | 'inboundKey'>,
): Promise<string[]> {
  const keys = { OUTBOUND_WEBHOOK_ENCRYPTION_KEY: outboundKey, INBOUND_WEBHOOK_ENCRYPTION_KEY: inboundKey }
  const problems: string[] = []
  for (const [name, key] of Object.entries(keys)) {
    if (key && (await noteFingerprint(db, name, fingerprintOf(key))) !== fingerprintOf(key)) {
      problems.push(
        `${name} is not the key that stored secrets were sealed under: they cannot be read. Restore the old key.`,
      )
    }
  }
  return problems
}

/** Stores a fingerprint unless there is one already; returns the stored one. */
async function noteFingerprint(
  db: Queryable,
  purpose: string,
  fingerprint: string,
): Promise<string | undefined> {
  await db.execute(sql`
    insert into key_fingerprints (purpose, fingerprint) values (${purpose}, ${fingerprint}) on conflict do nothing`)
  const stored = await db.maybeOne<{ fingerprint: string }>(
    sql`select fingerprint from key_fingerprints where purpose = ${purpose}`,
  )
  return stored?.fingerprint
}
