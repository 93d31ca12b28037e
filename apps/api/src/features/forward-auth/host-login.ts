import { createHash, randomBytes } from 'node:crypto'
import { findServerName } from '#mirror/read-servers'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import { readUserAgent } from '#platform/http/client-info'
import { cookie } from '#platform/http/cookies'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { noticeOfReason } from '../../pages/refusal-notice.ts'
import { hostCookie, ruleOf } from './check-request.ts'
import { type ForwardedRequest, isLoginLoop, readReturnPath } from './forwarded-request.ts'
import { callbackOf } from './host.ts'

/** Redeems a code for a session of the host. The feature `sessions` implements it, and `app.ts` passes it. */
export type RedeemHostCode = (
  presented: {
    readonly code: string
    readonly projectId: string
    readonly redirectUri: string
    readonly codeVerifier: string
    readonly browserDigests: null
  },
  terms: { ip: string | null; userAgent: string | null; ttlSec: number; maxAgeSec: number },
  client: Client,
) => Promise<{ readonly token: string }>

/** The seconds for which a started sign-in can be completed. */
const attemptTtlSec = 600
/** The maximum number of pending sign-ins per host and browser. More cookies could exceed the limit on headers. */
const maxAttempts = 5

const attemptPrefix = (request: ForwardedRequest) => `${hostCookie(request)}-`
const hostOnly = (request: ForwardedRequest, maxAgeSec: number) =>
  ({ path: '/', maxAgeSec, sameSite: 'lax', secure: request.isSecure }) as const

/**
 * Derives the PKCE verifier from the secret in the cookie and the complete state. So a callback whose state was
 * changed, for example to another return path, cannot redeem the code.
 */
const verifierOf = (secret: string, state: string) =>
  createHash('sha256').update(`${secret}.${state}`).digest('base64url')

/**
 * Matches the ID of an attempt, which is in the state and in the name of its cookie. IDs begin with the time, so they
 * sort by age.
 */
const attemptId = /^[0-9a-f-]{36}$/

/**
 * Starts a sign-in at a protected host: returns the address of the project's sign-in, and the cookies to set. Each
 * attempt has a cookie of its own, so that two tabs do not interfere with each other. `rd` is the parameter of the
 * request that names the path to return to.
 *
 * @throws HOST_UNKNOWN, LOGIN_LOOP
 */
export async function startLogin(
  { answers, config }: Pick<Deps, 'answers' | 'config'>,
  request: ForwardedRequest,
  rd: string | undefined,
  cookies: string | undefined,
) {
  const { projectId, serverId } = await ruleOf({ answers }, request.host)
  if (isLoginLoop(rd, request.origin)) throw new ApiError('LOGIN_LOOP')
  const attempt = uuidv7()
  const secret = randomBytes(32).toString('base64url')
  const state = `${attempt}~${readReturnPath(rd)}`
  const query = new URLSearchParams({
    client_id: projectId,
    redirect_uri: callbackOf(request.origin),
    server_id: serverId,
    state,
    code_challenge: createHash('sha256').update(verifierOf(secret, state)).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const prefix = attemptPrefix(request)
  const forgotten = attemptsIn(cookies, prefix)
    .toSorted()
    .slice(0, -(maxAttempts - 1))
  return {
    location: `${config.publicUrl}/api/auth/sso/authorize?${query}`,
    cookies: [
      cookie(prefix + attempt, secret, hostOnly(request, attemptTtlSec)),
      ...forgotten.map((name) => cookie(prefix + name, '', hostOnly(request, 0))),
    ],
  }
}

/** Returns the IDs of the pending attempts in a `Cookie` header. */
const attemptsIn = (cookies: string | undefined, prefix: string): string[] =>
  (cookies ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length).split('=', 1)[0] ?? '')
    .filter((name) => attemptId.test(name))

/** The query of the redirect that ends a sign-in, with a code or an error. */
export interface HostCallback {
  readonly code?: string | undefined
  readonly state: string
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_reason?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Completes a sign-in at a protected host: redeems the code for a session, and returns the address of the page that was
 * requested first, with the cookies to set. `secretOf` reads a cookie of the browser.
 *
 * @throws HOST_UNKNOWN; LOGIN_REQUEST_INVALID if this browser did not start the sign-in or the code is invalid;
 * LOGIN_REFUSED if the sign-in ended without a code
 */
export async function finishLogin(
  {
    db,
    answers,
    config,
    redeem,
  }: Pick<Deps, 'db' | 'answers' | 'config'> & { readonly redeem: RedeemHostCode },
  request: ForwardedRequest,
  { code, state, iss, error, error_reason: reason, error_description: description = '' }: HostCallback,
  {
    secretOf,
    client,
  }: { readonly secretOf: (cookie: string) => string | undefined; readonly client: Client },
) {
  const { projectId, serverId } = await ruleOf({ answers }, request.host)
  const [attempt = '', ...path] = state.split('~')
  const name = attemptPrefix(request) + attempt
  const secret = attemptId.test(attempt) ? secretOf(name) : undefined
  // A response from another issuer does not belong to this sign-in (RFC 9207).
  if (!secret || (iss !== undefined && iss !== config.publicUrl)) throw new ApiError('LOGIN_REQUEST_INVALID')
  if (code === undefined) {
    // The page shows the description only if it comes from this service. The state proves that this browser started the
    // sign-in, and `iss` states that this service ended it.
    const detail =
      iss === config.publicUrl && /^[\x20-\x7e]{1,300}$/.test(description) ? { detail: description } : {}
    const notice =
      iss === config.publicUrl ? noticeOfReason(reason, await findServerName(db, serverId)) : undefined
    throw new ApiError('LOGIN_REFUSED', {
      ...detail,
      ...(notice && { notice }),
      reason: error === 'access_denied' ? error : 'failed',
      site: { name: request.host, href: `${request.origin}/` },
    })
  }
  const { token } = await redeemOrStartAgain(() =>
    redeem(
      {
        // PKCE already binds the code to this browser: the verifier comes from the secret in its cookie.
        ...{ code, projectId, browserDigests: null },
        redirectUri: callbackOf(request.origin),
        codeVerifier: verifierOf(secret, state),
      },
      {
        // The session stores the address that the sign-in recorded. This request comes through the proxy.
        ...{ ip: null, userAgent: readUserAgent(client.userAgent) },
        ttlSec: config.sessionTtlSec,
        maxAgeSec: config.sessionMaxAgeSec,
      },
      client,
    ),
  )
  const maxAgeSec = Math.min(config.sessionTtlSec, config.sessionMaxAgeSec)
  return {
    // The path follows the origin, so even `//elsewhere` cannot lead to another host.
    location: request.origin + readReturnPath(path.join('~')),
    cookies: [
      cookie(name, '', hostOnly(request, 0)),
      cookie(hostCookie(request), token, hostOnly(request, maxAgeSec)),
    ],
  }
}

/** Converts the error of an invalid code, which is meant for programs, to one that tells a person to start again. */
async function redeemOrStartAgain<T>(redeem: () => Promise<T>): Promise<T> {
  try {
    return await redeem()
  } catch (error) {
    const isWorthless = error instanceof ApiError && error.status === 401
    throw isWorthless ? new ApiError('LOGIN_REQUEST_INVALID', { reason: 'code', cause: error }) : error
  }
}

/** Returns the `Set-Cookie` header that deletes the session cookie. */
export const deleteSession = (request: ForwardedRequest) =>
  cookie(hostCookie(request), '', hostOnly(request, 0))
