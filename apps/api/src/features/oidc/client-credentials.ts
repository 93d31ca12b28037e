import type { IncomingHttpHeaders } from 'node:http'
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
  headers: IncomingHttpHeaders,
  { client_id: clientId, client_secret: secret }: Readonly<Record<string, string>>,
): ClientCredentials | undefined {
  if (headers.authorization === undefined)
    return clientId === undefined || secret === undefined
      ? undefined
      : { clientId, secretDigest: digestOf(secret) }
  const basic = basicCredentials(headers, headers.authorization)
  return secret === undefined && (clientId ?? basic?.clientId) === basic?.clientId ? basic : undefined
}

interface ReadHeader {
  readonly authorization: string
  readonly credentials: ClientCredentials | undefined
}

/** The credentials in the Basic headers that are in use, because the requests of a connection share their headers. */
const readHeaders = new WeakMap<IncomingHttpHeaders, ReadHeader>()

function basicCredentials(
  headers: IncomingHttpHeaders,
  authorization: string,
): ClientCredentials | undefined {
  const known = readHeaders.get(headers)
  if (known?.authorization === authorization) return known.credentials
  const credentials = readBasic(authorization)
  readHeaders.set(headers, { authorization, credentials })
  return credentials
}

function readBasic(authorization: string): ClientCredentials | undefined {
  const encoded = basicHeader.exec(authorization)?.[1] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  const [, clientId, key] = plainPair.exec(bytes.toString('latin1')) ?? []
  // Encoding the bytes again detects invalid Base64, which Node.js decodes, too.
  if (clientId === undefined || key === undefined || bytes.toString('base64') !== encoded) return undefined
  return { clientId, secretDigest: digestOf(key) }
}

/** The valid keys of a cached client, which stay the same until one of them expires. */
interface Period {
  readonly fromMs: number
  readonly untilMs: number
  /** The digests of the valid API keys. */
  readonly keyDigests: readonly string[]
  /** True if the client passes `clientChecks`. */
  readonly isClient: boolean
}

const periods = new WeakMap<ClientFact, Period>()

function periodAt(client: ClientFact, nowMs: number): Period {
  const last = periods.get(client)
  if (last && last.fromMs <= nowMs && nowMs < last.untilMs) return last
  const keys = client.keys.filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs)
  const keyDigests = keys.map(({ digest }) => digest)
  const untilMs = keys.reduce(
    (until, { endsAtMs }) => Math.min(until, endsAtMs ?? until),
    Number.POSITIVE_INFINITY,
  )
  const isClient = !firstFailed(clientChecks, { ...client, keyDigests })
  const period = { fromMs: nowMs, untilMs, keyDigests, isClient }
  periods.set(client, period)
  return period
}

/** Returns the digests of a client's API keys that have not expired at this time. They are its secrets. */
export const workingKeys = (client: ClientFact, nowMs: number): readonly string[] =>
  periodAt(client, nowMs).keyDigests

/** Returns true if a cached client still passes `clientChecks`. Its keys can expire without a change in the cache. */
export const isClientAt = (client: ClientFact, nowMs: number): boolean => periodAt(client, nowMs).isClient
