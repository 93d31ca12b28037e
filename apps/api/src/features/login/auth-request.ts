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
/** Of logins that begin elsewhere in the service, where the other cookie is not sent: set there, it would lose what it held. */
export const pageRequestCookie: RequestCookie = { name: 'svc_page_req', path: '/' }
/** A person may have to log in at the platform, find a phone and read a code first. */
const requestTtlSec = 600
/** Tabs of one browser that may log in at once; the oldest is forgotten. */
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
 * Stores a login and binds it to this browser: the cookie holds one secret for each login under way, so
 * that two tabs do not disturb each other, and the platform carries back a state of its own. No login begins in any
 * other way, and each takes one from what its address may have open.
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

/** The secrets of the logins under way in this browser. */
export const readSecrets = (held: string | undefined): string[] =>
  (held ?? '')
    .split('.')
    .filter((secret) => isWellFormed('request', secret))
    .slice(-maxTabs)

/** The cookie with these secrets; none deletes it. */
export const secretsCookie = (
  { publicUrl }: Deps['config'],
  secrets: readonly string[],
  { name, path }: RequestCookie = requestCookie,
) =>
  cookie(name, secrets.join('.'), {
    path,
    maxAgeSec: secrets.length > 0 ? requestTtlSec : 0,
    // Strict would not come back with the platform's redirect.
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
