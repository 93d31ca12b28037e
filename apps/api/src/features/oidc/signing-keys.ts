import { createPrivateKey, generateKeyPair, hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { insertKey, type KeyRow, listKeys } from './keys-store.ts'

type KeyDeps = Pick<Deps, 'db' | 'config'>

/**
 * Seconds between the publication of a key and its first signature. Relying parties cache keys for an hour
 * (mod_auth_openidc).
 */
const leadSec = 3_600
/** If several instances start at once, only one of them stores a first key within this number of seconds. */
const firstKeySec = 60
/** The age in seconds at which a signing key is replaced. */
const replacedAfterSec = 90 * 86_400

/** A private key with its key ID. */
export interface SigningKey {
  readonly kid: string
  readonly jwk: JWK
  readonly key: KeyObject
}

/** The current keys. The first one signs, and all are published. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]]

/**
 * Loads the stored keys. If all are older than 90 days, creates a new key, which signs after an hour. If no key can
 * sign, creates one that signs immediately. Skips keys that cannot be decrypted, because the encryption key has
 * changed.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export async function loadSigningKeys(deps: KeyDeps): Promise<SigningKeys> {
  const key = encryptionKey(deps)
  const read = async () => {
    const rows = await listKeys(deps.db, deps.config.sessionMaxAgeSec)
    return rows.flatMap((row) => {
      const text = openOrUndefined(key, rowId(row.kid), row.sealed)
      if (text === undefined) return []
      return [
        {
          ...row,
          jwk: JSON.parse(text) as JWK,
          key: createPrivateKey({ key: JSON.parse(text), format: 'jwk' }),
        },
      ]
    })
  }
  let keys = await read()
  if (!keys.some(({ maySign }) => maySign)) {
    await makeSigningKey(deps, { leadSec: 0, minNewestAgeSec: firstKeySec })
    keys = await read()
  } else if (keys.every(({ ageSec }) => ageSec > replacedAfterSec)) {
    await makeSigningKey(deps, { leadSec, minNewestAgeSec: replacedAfterSec })
    keys = await read()
  }
  return withSignerFirst(keys)
}

/**
 * Creates a key, which signs after an hour, and returns its ID. The current signing key stays published, so that the
 * tokens that it has signed can still be verified.
 */
export const rotateSigningKeys = (deps: KeyDeps): Promise<string> =>
  makeSigningKey(deps, { leadSec, minNewestAgeSec: 0 })

type StoredKey = SigningKey & Pick<KeyRow, 'maySign'>

/** Returns the newest key that may sign, then the others. */
function withSignerFirst(keys: readonly StoredKey[]): SigningKeys {
  const first = keys.find(({ maySign }) => maySign)
  if (!first) throw new Error('The signing key that was just created is missing.')
  return [first, ...keys.filter((one) => one !== first)]
}

async function makeSigningKey(
  deps: KeyDeps,
  terms: { leadSec: number; minNewestAgeSec: number },
): Promise<string> {
  const key = encryptionKey(deps)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })
  const jwk = privateKey.export({ format: 'jwk' })
  // The key ID is the thumbprint of the key (RFC 7638), so two keys never have the same ID.
  const kid = hash('sha256', JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n }), 'base64url')
  const sealed = seal(key, rowId(kid), JSON.stringify({ ...jwk, kid, alg: 'RS256', use: 'sig' }))
  await deps.db.transaction((tx) => insertKey(tx, { kid, sealed, ...terms }))
  return kid
}

const rowId = (kid: string) => `oidc signing key ${kid}`

function encryptionKey({ config }: KeyDeps): string {
  if (config.outboundKey) return config.outboundKey
  throw new ApiError('ENCRYPTION_KEY_MISSING', {
    detail: 'The outbound-webhook encryption key, which encrypts signing keys, is not configured.',
  })
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const signOffThread = promisify(sign)

/** Signs a JWT with RS256, outside the main thread. `typ` is the type in its header, which ID tokens do not have. */
export async function signJwt([{ kid, key }]: SigningKeys, claims: object, typ?: string): Promise<string> {
  const text = `${encode({ alg: 'RS256', typ, kid })}.${encode(claims)}`
  const signature = await signOffThread('sha256', Buffer.from(text), key)
  return `${text}.${signature.toString('base64url')}`
}
