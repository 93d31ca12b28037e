import { digestOf } from '#platform/crypto/tokens'
import type { ClientFact } from '#session-memory/access-tokens-store'
import { firstFailed } from '../../checks/check.ts'
import { clientChecks } from './checks.ts'

/** The ID of a client and the digest of its secret. */
export interface ClientCredentials {
  readonly clientId: string
  readonly secretDigest: string
}

const basicHeader = /^Basic ([A-Za-z0-9+/]+={0,2})$/i
/**
 * Matches `ID:secret` without characters that form encoding changes. In a Basic header, OAuth clients form-encode both
 * values (RFC 6749 §2.3.1), so for other characters the encoding matters.
 */
const plainPair = /^([0-9a-f-]{36}):(rck_\w+)$/

/**
 * Reads the credentials of a client from the Basic header or from the form. Returns undefined unless they are in
 * exactly one of the two, in the usual form.
 */
export function readClientCredentials(
  authorization: string | undefined,
  { client_id: clientId, client_secret: secret }: Readonly<Record<string, string>>,
): ClientCredentials | undefined {
  if (authorization === undefined)
    return clientId === undefined || secret === undefined
      ? undefined
      : { clientId, secretDigest: digestOf(secret) }
  const encoded = basicHeader.exec(authorization)?.[1] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  const [, id, key] = plainPair.exec(bytes.toString('latin1')) ?? []
  if (id === undefined || key === undefined || secret !== undefined) return undefined
  // Encoding the bytes again detects invalid Base64, which Node.js decodes, too.
  if (bytes.toString('base64') !== encoded || (clientId ?? id) !== id) return undefined
  return { clientId: id, secretDigest: digestOf(key) }
}

/** Returns the digests of a client's API keys that have not expired at this time. They are its secrets. */
export const workingKeys = ({ keys }: ClientFact, nowMs: number): string[] =>
  keys.filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs).map(({ digest }) => digest)

/** Returns true if a cached client still passes `clientChecks`. Its keys can expire without a change in the cache. */
export const isClientAt = (client: ClientFact, nowMs: number): boolean =>
  !firstFailed(clientChecks, { ...client, keyDigests: workingKeys(client, nowMs) })
