import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Platform } from '../platform.ts'
import type { Grant } from './grants.ts'

let privateKey: KeyObject | undefined

/**
 * Returns the signing key. It is generated at its first use, because that takes 0.1 s, and most runs do not need it.
 */
function signingKey() {
  privateKey ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  return privateKey
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a signed ID token of a user. */
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
