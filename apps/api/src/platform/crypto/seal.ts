import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const version = 1
const nonceBytes = 12
const tagBytes = 16

/** Thrown if a secret cannot be decrypted: it was encrypted with another key or for another row, or is damaged. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

/**
 * Encrypts a secret for one row, with AES-256-GCM and a new nonce. The ID of the row is authenticated with it, so that
 * the result cannot be decrypted in another row. `keyHex` has 64 hexadecimal characters. The result consists of the
 * version, the nonce, the ciphertext, and the tag.
 */
export function seal(keyHex: string, rowId: string, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, Buffer.from(keyHex, 'hex'), nonce).setAAD(Buffer.from(rowId))
  return Buffer.concat([
    Buffer.of(version),
    nonce,
    cipher.update(secret, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/**
 * Decrypts a secret that `seal` has encrypted for this row.
 *
 * @throws SecretUnreadable
 */
export function open(keyHex: string, rowId: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== version || bytes.length < 1 + nonceBytes + tagBytes) {
    throw new SecretUnreadable('This version cannot read the format of the secret.')
  }
  const nonce = bytes.subarray(1, 1 + nonceBytes)
  const tag = bytes.subarray(-tagBytes)
  const decipher = createDecipheriv(algorithm, Buffer.from(keyHex, 'hex'), nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag)
  try {
    const text = decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    throw new SecretUnreadable('The secret was encrypted with another key, or is damaged.')
  }
}

/** Decrypts a secret. Returns undefined instead of throwing if that is not possible. */
export function openOrUndefined(keyHex: string, rowId: string, sealed: Uint8Array): string | undefined {
  try {
    return open(keyHex, rowId, sealed)
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}

/** Returns the fingerprint of a key. It is stored, so that a later start can detect that the key has changed. */
export const fingerprintOf = (keyHex: string) =>
  hash('sha256', `rolecall key ${keyHex.toLowerCase()}`).slice(0, 16)
