import { createHmac, hash, randomFillSync } from 'node:crypto'

/**
 * The kinds of opaque credentials: a prefix for the kind, 256 random bits in base62, and a CRC-32 of everything before
 * it. The checksum lets the service refuse a mistyped or made-up value without a lookup, and lets secret scanners find
 * a leaked one. An API key also has a public part of 8 characters.
 */
const kinds = {
  apiKey: 'rck',
  session: 'rcs',
  refresh: 'rcr',
  code: 'rcc',
  sso: 'rco',
  request: 'rca',
  /** The cookie of a protected host, which is valid only there. */
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

/** Creates a credential. Only its digest may be stored. */
export function mintToken(kind: TokenKind): string {
  const publicPart = kind === 'apiKey' ? `${base62(takeRandom(6), publicLength)}_` : ''
  return credential(`${kinds[kind]}_${publicPart}`, takeRandom(32))
}

/** Random bytes for the next credentials. One call of the generator for many is ten times faster than one for each. */
const random = Buffer.alloc(4_096)
let taken = random.length

/** Returns random bytes, and erases them here, so that no two credentials share any. `length` is even. */
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
 * Derives a credential from another secret. The result is the same each time, so a lost response can be repeated without
 * storing the credential. Without the key, the secret reveals nothing about it.
 */
export const deriveToken = (kind: Exclude<TokenKind, 'apiKey'>, key: string, secret: string): string =>
  credential(`${kinds[kind]}_`, createHmac('sha256', key).update(`${kind} of ${secret}`).digest())

function credential(prefix: string, secret: Uint8Array): string {
  const body = prefix + base62(secret, secretLength)
  return body + checksum(body)
}

/** Returns true if the value has the form and the checksum of its kind. A well-formed value need not exist. */
export function isWellFormed(kind: TokenKind, value: string): boolean {
  const head = kind === 'apiKey' ? 4 + publicLength + 1 : 4
  if (value.length !== head + secretLength + checksumLength) return false
  if (!value.startsWith(kinds[kind]) || value[3] !== '_' || value[head - 1] !== '_') return false
  const end = value.length - checksumLength
  return value.slice(end) === checksum(value.slice(0, end))
}

/** Matches credentials of this service and of others: a typical prefix and a long secret, or a JWT. */
const credentialShape =
  /(?:rc[ksrcoahtfgd]|whsec|[sprk]k_(?:live|test)|gh[pousr])_[-_0-9A-Za-z]{16,}|eyJ[-_0-9A-Za-z]{10,}\.[-_0-9A-Za-z.]+/g

/** Returns true if a text contains a string in the form of a credential, real or not. */
export const looksLikeCredential = (text: string): boolean => text.search(credentialShape) >= 0

/** Returns the text with all strings in the form of a credential masked, so that it may be stored and shown. */
export const maskCredentials = (text: string): string => text.replace(credentialShape, '[masked]')

/** Returns the digest that is stored and looked up instead of a credential. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url')

/**
 * Returns the token digest of a session without a token: a client's session with tokens stored elsewhere. No
 * well-formed token has this digest, so no caller can present one.
 */
export const digestOfTokenless = (sessionId: string): string => digestOf(`session ${sessionId}`)

/** Returns the part of an API key that may be shown: `rck_` and its public part. */
export const keyPrefixOf = (apiKey: string): string => apiKey.slice(0, 4 + publicLength)

/** The digits that one division yields, and their number of values: 62^6 · 2^16 is an exact number. */
const digitsAtOnce = 6
const divisor = 62 ** digitsAtOnce

/** Returns the last digits of a number. Divides in parts of 16 bits, five times faster than with a `bigint`. */
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

/** Computes CRC-32 (ISO-HDLC) of ASCII text. `zlib.crc32` is missing in early versions of Node 20. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(i)) & 0xff] as number)
  }
  return (crc ^ 0xffffffff) >>> 0
}
