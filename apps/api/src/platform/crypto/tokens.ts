import { createHmac, hash, randomFillSync } from 'node:crypto'

/**
 * The kinds of credentials, and the prefix of each. A credential consists of the prefix, 256 random bits in base62, and
 * a CRC-32 checksum. With the checksum, the service can reject a mistyped or invented value without a lookup, and
 * secret scanners can recognize a leaked one. An API key also has a public part of 8 characters.
 */
const kinds = {
  apiKey: 'rck',
  session: 'rcs',
  refresh: 'rcr',
  code: 'rcc',
  sso: 'rco',
  request: 'rca',
  /** The cookie of a protected host. It is valid only on that host. */
  hostSession: 'rch',
  accessToken: 'rct',
  clientRefresh: 'rcf',
  clientCode: 'rcg',
  deviceCode: 'rcd',
} as const
export type TokenKind = keyof typeof kinds

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 62^43 > 2^256
const checksumLength = 6 // 62^6 > 2^32
const publicLength = 8

/** Creates a credential. Store only its digest, see `digestOf`. */
export function mintToken(kind: TokenKind): string {
  const publicPart = kind === 'apiKey' ? `${base62(takeRandom(6), publicLength)}_` : ''
  return credential(`${kinds[kind]}_${publicPart}`, takeRandom(32))
}

/** Random bytes for the next credentials. Requesting them for many at once is several times faster. */
const random = Buffer.alloc(4_096)
let taken = random.length

/** Returns unused random bytes, and erases them in `random`, so that no credential shares them. `length` is even. */
function takeRandom(length: number): Uint8Array {
  if (taken + length > random.length) {
    randomFillSync(random)
    taken = 0
  }
  const bytes = Uint8Array.from(random.subarray(taken, taken + length))
  random.fill(0, taken, taken + length)
  taken += length
  return bytes
}

/**
 * Derives a credential from another secret. The result is always the same. So a response that got lost can be sent
 * again, although the credential is not stored. Without `key`, the secret reveals nothing about the result.
 */
export const deriveToken = (kind: Exclude<TokenKind, 'apiKey'>, key: string, secret: string): string =>
  credential(`${kinds[kind]}_`, createHmac('sha256', key).update(`${kind} of ${secret}`).digest())

function credential(prefix: string, secret: Uint8Array): string {
  const body = prefix + base62(secret, secretLength)
  return body + checksum(body)
}

/**
 * Returns true if the value has the form and the checksum of this kind. That does not mean that the credential exists.
 */
export function isWellFormed(kind: TokenKind, value: string): boolean {
  const head = kind === 'apiKey' ? 4 + publicLength + 1 : 4
  if (value.length !== head + secretLength + checksumLength) return false
  if (!value.startsWith(kinds[kind]) || value[3] !== '_' || value[head - 1] !== '_') return false
  const end = value.length - checksumLength
  return value.slice(end) === checksum(value.slice(0, end))
}

/** Matches credentials of this service and of others: a well-known prefix with a long secret, or a JWT. */
const credentialShape =
  /(?:rc[ksrcoahtfgd]|whsec|[sprk]k_(?:live|test)|gh[pousr])_[-_0-9A-Za-z]{16,}|eyJ[-_0-9A-Za-z]{10,}\.[-_0-9A-Za-z.]+/g

/** Returns true if the text contains something that looks like a credential, valid or not. */
export const looksLikeCredential = (text: string): boolean => text.search(credentialShape) >= 0

/** Masks everything in a text that looks like a credential, so that the text may be stored and shown. */
export const maskCredentials = (text: string): string => text.replace(credentialShape, '[masked]')

/** Returns the digest of a credential. It is stored and looked up instead of the credential. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url')

/**
 * Returns the token digest for an OpenID Connect session, which has no session token of its own. No well-formed token
 * has this digest, so no client can present one.
 */
export const digestOfTokenless = (sessionId: string): string => digestOf(`session ${sessionId}`)

/** Returns the part of an API key that may be shown: `rck_` and the public part. */
export const keyPrefixOf = (apiKey: string): string => apiKey.slice(0, 4 + publicLength)

/** The number of digits that one division yields. It is limited because 62^6 · 2^16 must fit a double exactly. */
const digitsAtOnce = 6
const divisor = 62 ** digitsAtOnce

/** Returns the last digits of a number in base 62. Divides 16 bits at a time: three times faster than a `bigint`. */
function base62(bytes: Uint8Array, length: number): string {
  const parts: number[] = []
  for (let i = 0; i < bytes.length; i += 2) parts.push((bytes[i] as number) * 256 + (bytes[i + 1] as number))
  let text = ''
  while (text.length < length) {
    let rest = 0
    for (let i = 0; i < parts.length; i++) {
      const part = rest * 65_536 + (parts[i] as number)
      const quotient = Math.floor(part / divisor)
      parts[i] = quotient
      rest = part - quotient * divisor
    }
    text = toDigits(rest, digitsAtOnce) + text
  }
  return text.slice(-length)
}

function toDigits(value: number, length: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < length; i++) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const checksum = (text: string): string => toDigits(crc32(text), checksumLength)

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/**
 * Computes the CRC-32 checksum (ISO-HDLC) of ASCII text. `zlib.crc32` does not exist in early versions of Node.js 20.
 */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(i)) & 0xff] as number)
  }
  return (crc ^ 0xffffffff) >>> 0
}
