import { createHmac } from 'node:crypto'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Config } from '../../config.ts'

const keys = {
  outbound: { variable: 'OUTBOUND_WEBHOOK_ENCRYPTION_KEY', secrets: 'webhook addresses of projects' },
  inbound: { variable: 'INBOUND_WEBHOOK_ENCRYPTION_KEY', secrets: 'signing secrets of inbound webhooks' },
} as const

type Purpose = keyof typeof keys

/**
 * Holds each encryption key against the fingerprint of the first one that this database was used with, and
 * answers a sentence for each that differs. A key that is not configured says nothing here.
 */
export async function checkKeyFingerprints(
  db: Database,
  { outboundKey, inboundKey }: Pick<Config, 'outboundKey' | 'inboundKey'>,
): Promise<string[]> {
  const given: [Purpose, string | undefined][] = [
    ['outbound', outboundKey],
    ['inbound', inboundKey],
  ]
  const problems: string[] = []
  for (const [purpose, key] of given) {
    if (key === undefined || (await matchesStored(db, purpose, fingerprintOf(purpose, key)))) continue
    const { variable, secrets } = keys[purpose]
    problems.push(
      `${variable} is not the key that this database was first used with: ${secrets} sealed under the earlier ` +
        'key cannot be read. Restore that key, or set those secrets anew.',
    )
  }
  return problems
}

/** Stores the fingerprint when it is the first one of its purpose. */
async function matchesStored(db: Database, purpose: Purpose, fingerprint: string): Promise<boolean> {
  await db.execute(sql`
    insert into key_fingerprints (purpose, fingerprint) values (${purpose}, ${fingerprint})
    on conflict do nothing`)
  const stored = await db.maybeOne<{ fingerprint: string }>(
    sql`select fingerprint from key_fingerprints where purpose = ${purpose}`,
  )
  return stored?.fingerprint === fingerprint
}

/** Says which key it is to whoever has it, and nothing about it to anyone else. */
const fingerprintOf = (purpose: Purpose, keyHex: string) =>
  createHmac('sha256', Buffer.from(keyHex, 'hex'))
    .update(`rolecall ${purpose} key`)
    .digest('hex')
    .slice(0, 16)
