import { fromBase64Url, toBase64Url } from '../base64url.ts'

/** The version of the format of sealed values. */
const version = '1'
const nonceBytes = 12

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Encrypts texts so that only this app can read them and create valid ones. */
export type Sealer = ReturnType<typeof createSealer>

interface Key {
  readonly id: string
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

/**
 * Creates a sealer. It encrypts with AES-256-GCM and writes `version.keyId.base64url(nonce ‖ ciphertext ‖ tag)`.
 *
 * Each text is sealed for a purpose, e.g. the name of its cookie, and can only be opened for that purpose. So the value
 * of one cookie is not valid in another.
 *
 * @param secrets The first secret seals, and all of them open. So a secret can be replaced without ending any session.
 */
export function createSealer(secrets: readonly string[]) {
  const keys = Promise.all(secrets.map(deriveKey))
  return {
    async seal(purpose: string, text: string): Promise<string> {
      const [newest] = await keys
      if (!newest) throw new Error('The secret for encryption is missing.')
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const sealed = await crypto.subtle.encrypt(parameters(nonce, purpose), newest.key, utf8(text))
      const bytes = new Uint8Array(nonceBytes + sealed.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(sealed), nonceBytes)
      return `${version}.${newest.id}.${toBase64Url(bytes)}`
    },

    /**
     * Opens a sealed value. `isOld` is true if it was not sealed with the first secret. Resolves to undefined if none
     * of the secrets sealed it for this purpose.
     */
    async open(purpose: string, value: string): Promise<{ text: string; isOld: boolean } | undefined> {
      const [form, id, encoded = '', ...more] = value.split('.')
      const all = await keys
      const found = all.find((one) => one.id === id)
      const bytes = fromBase64Url(encoded)
      if (form !== version || !found || !bytes || bytes.length <= nonceBytes || more.length > 0)
        return undefined
      try {
        const nonce = bytes.subarray(0, nonceBytes)
        const sealed = bytes.subarray(nonceBytes)
        const text = await crypto.subtle.decrypt(parameters(nonce, purpose), found.key, sealed)
        return { text: new TextDecoder().decode(text), isOld: found !== all[0] }
      } catch {
        return undefined
      }
    },
  }
}

const parameters = (iv: Uint8Array<ArrayBuffer>, purpose: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8(purpose),
})

/** Derives a key from a secret by HKDF, and an ID of the key that reveals nothing about the secret. */
async function deriveKey(secret: string): Promise<Key> {
  const base = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveKey', 'deriveBits'])
  const by = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: utf8('rolecall'),
    info: utf8(info),
  })
  const kind = { name: 'AES-GCM', length: 256 }
  const key = await crypto.subtle.deriveKey(by('cookies'), base, kind, false, ['encrypt', 'decrypt'])
  const id = toBase64Url(new Uint8Array(await crypto.subtle.deriveBits(by('key id'), base, 48)))
  return { id, key }
}
