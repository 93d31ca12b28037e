import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { json } from '../http/call.ts'
import { missingScope, unauthorized } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import type { Platform } from '../platform.ts'
import { getUser } from '../world/state.ts'
import type { Grant } from './grants.ts'

let pair: { publicKey: KeyObject; privateKey: KeyObject } | undefined

/** Made at first use: most runs never need it, and making one takes a tenth of a second. */
function keys() {
  pair ??= generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return pair
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
  return `${signed}.${sign('sha256', Buffer.from(signed), keys().privateKey).toString('base64url')}`
}

export const jwks: Route = {
  name: 'keys',
  method: 'GET',
  path: '/oauth2/keys',
  at: 'api',
  auth: 'none',
  handle: () =>
    json({
      keys: [{ ...keys().publicKey.export({ format: 'jwk' }), kid: 'chat-sim', use: 'sig', alg: 'RS256' }],
    }),
}

export const userinfo: Route = {
  name: 'userinfo',
  method: 'GET',
  path: '/oauth2/userinfo',
  at: 'api',
  auth: 'user',
  handle({ world }, { caller }) {
    if (caller.kind !== 'bearer') throw unauthorized()
    const { userId, scopes } = caller.grant
    if (!scopes.includes('openid')) throw missingScope()
    const user = getUser(world, userId)
    const identity = scopes.includes('identify')
      ? { preferred_username: user.username, nickname: user.global_name }
      : {}
    const email = scopes.includes('email') ? { email: user.email, email_verified: user.verified } : {}
    return json({ sub: userId, ...identity, ...email })
  },
}
