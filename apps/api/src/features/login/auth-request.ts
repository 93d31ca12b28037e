import { randomBytes } from 'node:crypto'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import { cookie } from '#platform/http/cookies'
import type { Deps } from '../../deps.ts'
import { configuredCheck } from './checks.ts'
import { insertAuthRequest, type NewAuthRequest } from './store.ts'

interface RequestCookie {
  readonly name: string
  readonly path: string
}

export const requestCookie: RequestCookie = { name: 'svc_auth_req', path: '/api/auth' }
/**
 * The cookie of sign-ins that begin on other pages of the service. Browsers do not send the first cookie there, so
 * setting it there would lose its earlier secrets.
 */
export const pageRequestCookie: RequestCookie = { name: 'svc_page_req', path: '/' }
/** The lifetime of a request. A person may first have to sign in at the platform, find a phone, and read a code. */
const requestTtlSec = 600
/** The maximum number of concurrent sign-ins in the tabs of one browser. Beyond it, the oldest sign-in is dropped. */
const maxTabs = 5

type NewRequest = Pick<
  NewAuthRequest,
  'projectId' | 'serverId' | 'redirectUri' | 'state' | 'codeChallenge' | 'interaction'
>

export interface OpenedRequest {
  readonly location: string
  readonly cookie: string
}

/**
 * Stores a sign-in and binds it to this browser. The cookie holds one secret for each pending sign-in, so that two tabs
 * do not interfere with each other, and the platform returns a separate state for each. Every sign-in starts here, and
 * counts toward the limit of its address.
 */
export async function openAuthRequest(
  { db, chat, config, loginLimits }: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>,
  held: string | undefined,
  address: string,
  request: NewRequest,
  of: RequestCookie = requestCookie,
): Promise<OpenedRequest> {
  if (!configuredCheck.holds(config)) {
    throw new ApiError(configuredCheck.refusal, { headers: { 'retry-after': '60' } })
  }
  await loginLimits.take(address)
  const secret = mintToken('request')
  const chatState = randomBytes(32).toString('base64url')
  const chatCodeVerifier = randomBytes(32).toString('base64url')
  await insertAuthRequest(db, {
    ...request,
    id: uuidv7(),
    browserDigest: digestOf(secret),
    chatState,
    chatCodeVerifier,
    address,
    ttlSec: requestTtlSec,
  })
  await loginLimits.stored()
  const secrets = [...readSecrets(held), secret].slice(-maxTabs)
  return {
    location: await chat.authorizeUrl({ state: chatState, codeVerifier: chatCodeVerifier }),
    cookie: secretsCookie(config, secrets, of),
  }
}

/** Returns the secrets of the pending sign-ins in this browser. */
export const readSecrets = (held: string | undefined): string[] =>
  (held ?? '')
    .split('.')
    .filter((secret) => isWellFormed('request', secret))
    .slice(-maxTabs)

/** Returns the cookie with these secrets. Without secrets, it deletes the cookie. */
export const secretsCookie = (
  { publicUrl }: Deps['config'],
  secrets: readonly string[],
  { name, path }: RequestCookie = requestCookie,
) =>
  cookie(name, secrets.join('.'), {
    path,
    maxAgeSec: secrets.length > 0 ? requestTtlSec : 0,
    // Browsers do not send a strict cookie with the platform's redirect.
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
