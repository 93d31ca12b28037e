import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The layout of a sealed secret: this byte, the nonce, the ciphertext, the tag. */
const version = 1
const nonceLength = 12
const tagLength = 16
const overhead = 1 + nonceLength + tagLength

/**
 * Seals a secret for storing: AES-256-GCM under a fresh nonce, bound to the id of its row, so that it opens
 * nowhere else. `keyHex` is 64 hexadecimal characters.
 */
export function seal(keyHex: string, rowId: string, secret: string): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(keyHex, 'hex'), nonce, {
    authTagLength: tagLength,
  })
  cipher.setAAD(Buffer.from(rowId))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), nonce, ciphertext, cipher.getAuthTag()])
}

/**
 * The secret, or undefined when it cannot be had: another key, another row, a changed or missing byte, a
 * layout of the future. Which of these is not to be told apart.
 */
export function open(keyHex: string, rowId: string, sealed: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed)
  if (bytes.length < overhead || bytes[0] !== version) return undefined
  const ciphertextStart = 1 + nonceLength
  const tagStart = bytes.length - tagLength
  const nonce = bytes.subarray(1, ciphertextStart)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(keyHex, 'hex'), nonce, {
    authTagLength: tagLength,
  })
  decipher.setAAD(Buffer.from(rowId))
  decipher.setAuthTag(bytes.subarray(tagStart))
  const plain = decipher.update(bytes.subarray(ciphertextStart, tagStart))
  try {
    return Buffer.concat([plain, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
