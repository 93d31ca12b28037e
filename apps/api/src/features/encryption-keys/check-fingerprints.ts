import { fingerprintOf, openOrUndefined } from '#platform/crypto/seal'
import type { Queryable } from '#platform/db/database'
import type { Config } from '../../config.ts'
import { insertFingerprint, pageOfSecrets, readFingerprints } from './store.ts'

type Keys = Pick<Config, 'outboundKey' | 'inboundKey'>

interface Fingerprint {
  readonly name: string
  readonly key: string
  readonly fingerprint: string
}

/** Webhooks that a report names; of more it gives the number. */
const maxNamed = 20

const inbound = 'INBOUND_WEBHOOK_ENCRYPTION_KEY'

/**
 * Notes the fingerprint of each encryption key the first time, and compares it ever after. Returns a sentence
 * for each key that is no longer the one that secrets were sealed under: there is no key rotation.
 */
export async function checkKeyFingerprints(db: Queryable, keys: Keys): Promise<string[]> {
  for (const { name, fingerprint } of fingerprintsOf(keys)) await insertFingerprint(db, name, fingerprint)
  return (await changedKeys(db, keys)).problems
}

/**
 * The fingerprints of the configured keys, and a sentence for each that is not the stored one. Writes nothing. A key
 * without a stored fingerprint has sealed nothing yet.
 */
export async function changedKeys(db: Queryable, keys: Keys) {
  const stored = await readFingerprints(db)
  const fingerprints = fingerprintsOf(keys)
  const problems: string[] = []
  for (const { name, key, fingerprint } of fingerprints) {
    if ((stored.get(name) ?? fingerprint) === fingerprint) continue
    const hit = name === inbound ? await unreadableWebhooks(db, key) : ''
    problems.push(
      `${name} is not the key that stored secrets were sealed under: they cannot be read. Restore the old key.${hit}`,
    )
  }
  return { fingerprints, problems }
}

const fingerprintsOf = ({ outboundKey, inboundKey }: Keys): Fingerprint[] =>
  Object.entries({ OUTBOUND_WEBHOOK_ENCRYPTION_KEY: outboundKey, [inbound]: inboundKey }).flatMap(
    ([name, key]) => (key ? [{ name, key, fingerprint: fingerprintOf(key) }] : []),
  )

/** Says which webhooks have a secret that this key does not open: signed submissions to them are refused. */
async function unreadableWebhooks(db: Queryable, key: string): Promise<string> {
  const names: string[] = []
  let count = 0
  let after: string | undefined
  for (;;) {
    const page = await pageOfSecrets(db, after)
    for (const { id, name, sealed } of page) {
      if (openOrUndefined(key, id, sealed) !== undefined) continue
      count += 1
      if (names.length < maxNamed) names.push(`${name} (${id})`)
    }
    after = page.at(-1)?.id
    if (after === undefined) break
  }
  if (count === 0) return ' No inbound webhook has a secret of the old key.'
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return ` Inbound webhooks whose secrets it does not open: ${names.join(', ')}${more}.`
}
