import { fingerprintOf, openOrUndefined } from '#platform/crypto/seal'
import type { Queryable } from '#platform/db/database'
import type { Config } from '../../config.ts'
import { insertFingerprint, pageOfSecrets, readFingerprints } from './store.ts'

type Keys = Pick<Config, 'outboundKey' | 'inboundKey'>

/** The fingerprint of an encryption key. `name` is the environment variable of the key. */
interface Fingerprint {
  readonly name: string
  readonly key: string
  readonly fingerprint: string
}

/** The maximum number of webhooks that a problem names. It gives only the number of the others. */
const maxNamed = 20

const inbound = 'INBOUND_WEBHOOK_ENCRYPTION_KEY'

/**
 * Checks at the start of the service that the encryption keys are those that encrypted the stored secrets.
 *
 * Stores the fingerprint of a new key. Returns a sentence for each key that differs. Keys cannot be rotated.
 */
export async function checkKeyFingerprints(db: Queryable, keys: Keys): Promise<string[]> {
  for (const { name, fingerprint } of fingerprintsOf(keys)) await insertFingerprint(db, name, fingerprint)
  return (await changedKeys(db, keys)).problems
}

/**
 * Returns the fingerprints of the configured keys, and a sentence for each key whose fingerprint differs from the
 * stored one. Writes nothing. A key without a stored fingerprint is new, and has encrypted nothing yet.
 */
export async function changedKeys(db: Queryable, keys: Keys) {
  const stored = await readFingerprints(db)
  const fingerprints = fingerprintsOf(keys)
  const problems: string[] = []
  for (const { name, key, fingerprint } of fingerprints) {
    if ((stored.get(name) ?? fingerprint) === fingerprint) continue
    const hit = name === inbound ? await unreadableWebhooks(db, key) : ''
    problems.push(
      `${name} is not the key that encrypted the stored secrets. They cannot be read. Restore the old key.${hit}`,
    )
  }
  return { fingerprints, problems }
}

const fingerprintsOf = ({ outboundKey, inboundKey }: Keys): Fingerprint[] =>
  Object.entries({ OUTBOUND_WEBHOOK_ENCRYPTION_KEY: outboundKey, [inbound]: inboundKey }).flatMap(
    ([name, key]) => (key ? [{ name, key, fingerprint: fingerprintOf(key) }] : []),
  )

/**
 * Returns a sentence that names the inbound webhooks whose secret this key cannot decrypt. Signed submissions to them
 * are rejected.
 */
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
  if (count === 0) return ' No inbound webhook has a secret under the old key.'
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return ` Inbound webhooks with secrets under the old key: ${names.join(', ')}${more}.`
}
