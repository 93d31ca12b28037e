import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Platform } from '../platform.ts'
import type { Grant } from './grants.ts'

let privateKey: KeyObject | undefined

/** Returns the signing key, which is generated on first use. Most runs do not need it, and it takes a tenth of a second. */
function signingKey() {
  privateKey ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  return privateKey
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function idToken(
  { options, world, clock }: Platform,
  grant: Grant,
  nonce: string | undefined,
): string {
  const now = Math.floor(clock.now() / 1_000)
  const claims = {
    iss: options.issuer,
    sub: grant.userId,
    aud: world.application.clientId,
    iat: now,
    exp: now + 3_600,
  }
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'chat-sim' })}.${encode(nonce ? { ...claims, nonce } : claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), signingKey()).toString('base64url')}`
}
