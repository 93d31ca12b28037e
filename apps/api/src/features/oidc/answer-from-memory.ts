import { isFresh, memberTerms } from '#mirror/freshness'
import type { FromMemory, FrontRequest } from '#platform/http/front'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import { claimsByOrderOfScope, claimsInScope, claimsOf } from '#responses/oidc-claims'
import type { AccessToken } from '#session-memory/access-tokens'
import { type Session, sessionAt, toResponseJson } from '#session-memory/session'
import type { Deps } from '../../deps.ts'
import { isClientAt, readClientCredentials, workingKeys } from './client-credentials.ts'
import type { OidcCounts } from './oidc-deps.ts'
import { digestOfRecord } from './stored-payload.ts'
import { liveMember } from './token-session.ts'

export type MemoryDeps = Pick<Deps, 'answers' | 'limiter' | 'settings' | 'config'> & {
  readonly counts: OidcCounts
  /** Returns the IP address of the client, as the web framework does. */
  readonly addressOf: (request: FrontRequest) => string
}

/**
 * The headers that the protocol library adds to a response if the request has no `Origin`: name, value, name, value.
 */
const headers = [
  ...['vary', 'Origin'],
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', 'WWW-Authenticate'],
]

/**
 * Responds to a userinfo request from the cache, with the response that the protocol library would return. Returns
 * undefined, and counts nothing, if the cache does not suffice, or if the response would be an error. Then the library
 * handles the request.
 */
export function userinfoFromMemory(deps: MemoryDeps, request: FrontRequest, body: Buffer): FromMemory {
  const { authorization = '', origin } = request.headers
  const token = bearerToken.exec(authorization)?.[1]
  if (token === undefined || origin !== undefined || !isEmptyForm(request, body)) return undefined
  const known = findLive(deps, token)
  if (!known?.token.scope.split(' ').includes('openid')) return undefined
  return counted(deps, request, 'userinfo', userinfoOf(known))
}

/**
 * Responds to an introspection request from the cache, with the response that the protocol library would return.
 * Handles only clients that introspect their own access tokens. Returns undefined in all other cases, as
 * `userinfoFromMemory` does.
 */
export function introspectionFromMemory(deps: MemoryDeps, request: FrontRequest, body: Buffer): FromMemory {
  const form = readPlainForm(request, body)
  if (form?.['token'] === undefined || request.headers.origin !== undefined) return undefined
  const credentials = readClientCredentials(request.headers, form)
  const known = credentials && findLive(deps, form['token'])
  if (!known) return undefined
  const { client } = known.token
  if (client.id !== credentials.clientId || client.value.isPublic) return undefined
  if (!workingKeys(client.value, known.nowMs).includes(credentials.secretDigest)) return undefined
  return counted(deps, request, 'introspection', introspectionOf(known, deps.config.publicUrl))
}

const bearerToken = /^Bearer (rct_[0-9A-Za-z]+)$/i
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i

const isEmptyForm = ({ headers: { 'content-type': type } }: FrontRequest, body: Buffer): boolean =>
  body.length === 0 && (type === undefined || formType.test(type))

/** The maximum length of a form in bytes. The library handles longer bodies. */
const maxFormBytes = 512
/** Matches a form without characters that need decoding. */
const plainForm = /^(?:(?:token|token_type_hint|client_id|client_secret)=[\w.-]+(?:&(?!$)|$))+$/

/** Reads a form that needs no decoding and in which each field occurs once. Returns undefined for any other body. */
function readPlainForm(
  { headers: { 'content-type': type } }: FrontRequest,
  body: Buffer,
): Readonly<Record<string, string>> | undefined {
  if (body.length > maxFormBytes || type === undefined || !formType.test(type)) return undefined
  const text = body.toString('latin1')
  if (!plainForm.test(text)) return undefined
  const pairs = text.split('&').map((pair) => pair.split('='))
  const form = Object.fromEntries(pairs)
  return Object.keys(form).length === pairs.length ? form : undefined
}

/** A valid access token with its live session, and the text that `validate` would return for the session now. */
interface Live {
  readonly token: AccessToken
  readonly session: Session
  readonly answer: string
  readonly nowMs: number
}

/**
 * Finds the live session of a cached access token, on the same conditions as `validate`. Must be synchronous with the
 * response, so that the lease is still valid when the response is created.
 */
function findLive({ answers, settings }: MemoryDeps, value: string): Live | undefined {
  const nowMs = answers.leasedNowMs()
  if (nowMs === undefined) return undefined
  const token = answers.findAccessToken(digestOfRecord('AccessToken', value), nowMs)
  const session = token && answers.findSession(token.sessionDigest)
  if (!session || session.expiresAtMs <= nowMs || !isClientAt(token.client.value, nowMs)) return undefined
  if (session.projectId !== token.client.id || session.memberId !== token.memberId) return undefined
  const at = sessionAt(session, nowMs)
  if (!isFresh(at, memberTerms(settings.current().permissionTtlMs))) return undefined
  return { token, session, answer: toResponseJson(at, 'rest'), nowMs }
}

/**
 * Counts the request toward the rate limit and the metrics. Returns a promise while a share of the limit is being
 * reserved, and undefined if the limiter must decide about the request.
 */
function counted(
  { limiter, counts, addressOf }: MemoryDeps,
  request: FrontRequest,
  endpoint: string,
  json: string,
): FromMemory {
  const bucket = addressBucket(addressOf(request))
  const outcome = limiter.tryConsume(bucket)
  if (outcome !== true) return outcome
  counts.answers.count(endpoint, 'ok')
  return { caller: { bucket }, json, headers }
}

/**
 * Creates a function that builds a text about a session, and reuses it while the session and the scope stay the same.
 */
function repeated(make: (member: Parameters<typeof claimsOf>[0], scope: string) => string) {
  const last = new WeakMap<Session, { answer: string; scope: string; text: string }>()
  return ({ session, answer }: Live, scope: string): string => {
    const made = last.get(session)
    if (made?.answer === answer && made.scope === scope) return made.text
    const text = make(liveMember(session, answer), scope)
    last.set(session, { answer, scope, text })
    return text
  }
}

const userinfoText = repeated((member, scope) =>
  JSON.stringify(claimsByOrderOfScope(claimsOf(member, { withRoles: true }), scope)),
)
const userinfoOf = (known: Live): string => userinfoText(known, known.token.grantedScope)

/** Builds the part of an introspection response that depends on the session, up to the value of `client_id`. */
const introspectedClaims = repeated((member, scope) => {
  const claims = claimsInScope(claimsOf(member, { withRoles: true }), scope)
  return `${JSON.stringify({ ...claims, active: true, sub: member.session.memberId }).slice(0, -1)},"client_id":`
})

/**
 * Completes an introspection response with the fields of the token, in the order of the library. The values that are
 * inserted without `JSON.stringify` contain no character that JSON escapes.
 */
function introspectionOf(known: Live, issuer: string): string {
  const { token, session } = known
  return (
    `${introspectedClaims(known, token.scope)}"${token.client.id}",` +
    `"exp":${token.expiresAtSec},"iat":${token.issuedAtSec},` +
    `${token.hasSid ? `"sid":"${session.id}",` : ''}"iss":"${issuer}",` +
    `"scope":"${token.scope}","token_type":"Bearer","username":${JSON.stringify(session.username)}}`
  )
}
