import { randomBytes } from 'node:crypto'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import { cookie } from '#platform/http/cookies'
import type { Deps } from '../../deps.ts'
import { configuredCheck } from './checks.ts'
import { insertAuthRequest, type NewAuthRequest } from './store.ts'

/** A cookie that contains the secrets of the sign-ins that a browser has started. */
interface RequestCookie {
  readonly name: string
  readonly path: string
}

/** The cookie of sign-ins that begin under `/api/auth`. */
export const requestCookie: RequestCookie = { name: 'svc_auth_req', path: '/api/auth' }
/**
 * The cookie of sign-ins that begin at other paths, such as the account page. Browsers do not send `requestCookie` to
 * these paths. So a new value could not include the earlier secrets, and would end the other sign-ins of the browser.
 */
export const pageRequestCookie: RequestCookie = { name: 'svc_page_req', path: '/' }
/** The lifetime of a sign-in request. A person may first have to sign in to Discord, with a code from their phone. */
const requestTtlSec = 600
/** The maximum number of concurrent sign-ins in the tabs of one browser. Beyond it, the oldest sign-in is dropped. */
const maxTabs = 5

type NewRequest = Pick<
  NewAuthRequest,
  'projectId' | 'serverId' | 'redirectUri' | 'state' | 'codeChallenge' | 'interaction'
>

/** A started sign-in: the address of Discord's screen, and the `Set-Cookie` header that binds it to the browser. */
export interface OpenedRequest {
  readonly location: string
  readonly cookie: string
}

/**
 * Stores a sign-in request and binds it to this browser. Every sign-in through Discord's screen starts here.
 *
 * The cookie `target` contains one secret for each pending sign-in, and Discord returns a separate `state` for each, so
 * that two tabs do not interfere with each other. `cookieValue` is its current value. `address` is the client
 * address whose limit the sign-in counts toward.
 *
 * @throws LOGIN_NOT_CONFIGURED, RATE_LIMITED
 */
export async function openAuthRequest(
  { db, chat, config, loginLimits }: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>,
  cookieValue: string | undefined,
  address: string,
  request: NewRequest,
  target: RequestCookie = requestCookie,
): Promise<OpenedRequest> {
  if (!configuredCheck.holds(config)) {
    throw new ApiError(configuredCheck.refusal, { headers: { 'retry-after': '60' } })
  }
  await loginLimits.acquire(address)
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
  await loginLimits.countStored()
  const secrets = [...readSecrets(cookieValue), secret].slice(-maxTabs)
  return {
    location: await chat.authorizeUrl({ state: chatState, codeVerifier: chatCodeVerifier }),
    cookie: secretsCookie(config, secrets, target),
  }
}

/** Returns the secrets in a request cookie, oldest first. Ignores malformed ones. */
export const readSecrets = (cookieValue: string | undefined): string[] =>
  (cookieValue ?? '')
    .split('.')
    .filter((secret) => isWellFormed('request', secret))
    .slice(-maxTabs)

/** Builds the `Set-Cookie` header for these secrets. Without secrets, it deletes the cookie. */
export const secretsCookie = (
  { publicUrl }: Deps['config'],
  secrets: readonly string[],
  { name, path }: RequestCookie = requestCookie,
) =>
  cookie(name, secrets.join('.'), {
    path,
    maxAgeSec: secrets.length > 0 ? requestTtlSec : 0,
    // Browsers do not send a strict cookie when another site, here Discord, redirects to the service.
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
