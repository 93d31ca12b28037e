import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type ErrorCode, forwardAuth } from '@rolecall/contract'
import { digestOf } from '#platform/crypto/tokens'
import { Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { isSameOrigin } from '#platform/http/credentials'
import { readerOf } from '#platform/http/reader'
import type { Client, Router } from '#platform/http/router'
import type { HostRule } from '#session-memory/host-rules-store'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { brandOf, withoutImages } from '../../pages/brand-of.ts'
import { decide, decideFromMemory, readHostToken, ruleOf } from './check-request.ts'
import {
  createProxyCheck,
  type ForwardedRequest,
  readForwardedRequest,
  readReturnPath,
} from './forwarded-request.ts'
import { deleteSession, finishLogin, type RedeemHostCode, startLogin } from './host-login.ts'
import { loggedOutPage, logoutPage, noticeOfRoles, whoMay } from './pages.ts'
import { listRoleNames } from './store.ts'

/** The functions of other features that a protected host calls. `app.ts` passes them. */
export interface ForwardAuthNeeds {
  readonly redeem: RedeemHostCode
  /** Ends the session of a token. */
  readonly endSession: (projectId: string, tokenDigest: string) => Promise<unknown>
  /** Counts a response to a proxy, by host and outcome, for the metrics. */
  readonly count: (host: string, outcome: string) => void
  /** Records that a member was refused for a missing role, and saw the page that says so. */
  readonly noteRefusal: (refused: {
    readonly reason: 'role_lacking'
    readonly memberId: string
    readonly projectId: string
    readonly serverId: string
    readonly path: string
    readonly client: Client
  }) => void
}

/**
 * Registers forward auth: the endpoint that a reverse proxy asks about each request, and the pages under `/_rolecall`
 * that the proxy passes on from the hosts that it protects.
 */
export function forwardAuthRoutes(
  { route, routeFromMemory }: Router<Callers>,
  deps: Deps,
  needs: ForwardAuthNeeds,
) {
  const isTrusted = createProxyCheck(deps.config.trustProxy)
  const forwarded = (raw: Parameters<typeof readForwardedRequest>[0]) => readForwardedRequest(raw, isTrusted)

  /**
   * Builds the error, and its page, for a member without the required roles. Records the refusal if `refused` is set.
   */
  const lacking = async (
    { host, origin }: ForwardedRequest,
    { projectId, serverId, anyOf }: HostRule & { serverId: string },
    path: string,
    refused?: { readonly memberId: string; readonly path: string; readonly client: Client },
  ) => {
    const roles = await listRoleNames(deps.db, serverId, anyOf)
    const brand = withoutImages(await brandOf(deps.db, { projectId, serverId }))
    const required = { host, server: brand.server?.name ?? serverId, roles }
    if (refused) needs.noteRefusal({ reason: 'role_lacking', projectId, serverId, ...refused })
    const [detail, notice] = [whoMay(required), noticeOfRoles(required)]
    return new ApiError('ROLE_LACKING', { detail, notice, brand, again: origin + path })
  }

  /**
   * Responds to a proxy. With `isLed`, which is `?redirect=true`, the proxy sends a redirect on to the browser.
   * Otherwise it only understands a status, and finds the address in the `Location` header. `asked.host` receives the
   * host, for the metrics.
   */
  const respondToProxy = async (
    { raw, client }: { raw: IncomingMessage; client: Client },
    isLed: boolean,
    asked: { host: string },
  ) => {
    // Some proxies send the length of the body without the body. Node.js would then read the next request on this
    // connection as the body.
    if (raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined)
      throw new ApiError('BAD_REQUEST', { detail: bodyLengthSent, headers: { connection: 'close' } })
    const request = forwarded(raw)
    const rule = await ruleOf(deps, request.host)
    asked.host = request.host
    const verdict = await decide(deps, rule, readHostToken(request, raw.headers.cookie))
    const wantsPage = isLed && isPageLoad(raw.headers)
    if (verdict !== 'signedOut' && 'lacksRoles' in verdict)
      throw wantsPage
        ? await lacking(request, rule, readReturnPath(request.uri), {
            memberId: verdict.memberId,
            path: forwardAuth.forwardAuth.path,
            client,
          })
        : new ApiError('ROLE_LACKING', { headers: { location: deniedOf(request) } })
    if (verdict !== 'signedOut') return new Answer(200, undefined, verdict.headers)
    const location = loginOf(request)
    if (wantsPage) return redirect(location)
    throw new ApiError('LOGIN_REQUIRED', { headers: { location } })
  }
  route(forwardAuth.forwardAuth, async ({ raw, query, client }) => {
    const request = { host: 'none' }
    try {
      const response = await respondToProxy({ raw, client }, query.redirect === 'true', request)
      needs.count(request.host, response.status === 200 ? 'passed' : 'nobody')
      return response
    } catch (error) {
      needs.count(request.host, outcomeOf(error))
      throw error
    }
  })
  const checkPaths = ['/api/forward-auth', '/api/forward-auth?redirect=true']
  routeFromMemory(forwardAuth.forwardAuth, checkPaths, (raw) => {
    const request = forwarded(raw)
    const head = decideFromMemory(deps, request, raw.headers.cookie)
    if (!head) return undefined
    needs.count(request.host, 'passed')
    return { caller: anybody, head }
  })
  route(forwardAuth.startHostLogin, async ({ raw, query }) => {
    const { location, cookies } = await startLogin(deps, forwarded(raw), query.rd, raw.headers.cookie)
    return redirect(location, cookies)
  })
  route(forwardAuth.hostCallback, async ({ raw, query, client }) => {
    const secretOf = (name: string) => readCookie(raw.headers.cookie, name)
    const end = await finishLogin({ ...deps, redeem: needs.redeem }, forwarded(raw), query, {
      secretOf,
      client,
    })
    return redirect(end.location, end.cookies)
  })
  route(forwardAuth.hostDenied, async ({ raw, query, client }) => {
    const request = forwarded(raw)
    const rule = await ruleOf(deps, request.host)
    const path = readReturnPath(query.rd)
    const verdict = await decide(deps, rule, readHostToken(request, raw.headers.cookie))
    // A browser without a session sees the same page, but no refusal is recorded. The page's link leads to the sign-in.
    if (verdict !== 'signedOut' && 'headers' in verdict) return redirect(request.origin + path)
    const refused =
      verdict === 'signedOut'
        ? undefined
        : { memberId: verdict.memberId, path: forwardAuth.hostDenied.path, client }
    throw await lacking(request, rule, path, refused)
  })
  route(forwardAuth.hostLogoutPage, async ({ raw }) => {
    const { host } = forwarded(raw)
    await ruleOf(deps, host)
    return logoutPage(readerAt(raw), host)
  })
  route(forwardAuth.hostLogout, async ({ raw }) => {
    const request = forwarded(raw)
    const { projectId } = await ruleOf(deps, request.host)
    if (!isSameOrigin(raw, request.origin)) throw new ApiError('CROSS_SITE_REQUEST')
    const token = readHostToken(request, raw.headers.cookie)
    if (token !== undefined) await needs.endSession(projectId, digestOf(token))
    return loggedOutPage(readerAt(raw), request.host, deleteSession(request), deps.config.publicUrl)
  })
}

/** Returns the browser's language. The pages have no switch, because its cookie is not sent to a protected host. */
const readerAt = (raw: IncomingMessage) => readerOf(raw, { hasSwitch: false })

const bodyLengthSent =
  'This check has no body. Configure the reverse proxy to remove Content-Length and Transfer-Encoding from the ' +
  'request to /api/forward-auth.'

/** The caller of a request from a proxy. It has no bucket, because proxies are not rate-limited. */
const anybody = { bucket: '' }

/** The outcome of each error in the metrics. For other errors, it is `unknown`. */
const outcomes: Partial<Record<ErrorCode, string>> = {
  LOGIN_REQUIRED: 'nobody',
  ROLE_LACKING: 'lacks_roles',
  HOST_UNKNOWN: 'no_such_host',
  PROXY_NOT_TRUSTED: 'untrusted',
  FORWARDED_REQUEST_INVALID: 'invalid',
  BAD_REQUEST: 'invalid',
}
const outcomeOf = (error: unknown) => (error instanceof ApiError && outcomes[error.code]) || 'unknown'

const loginOf = ({ origin, uri }: ForwardedRequest) =>
  `${origin}/_rolecall/start?rd=${encodeURIComponent(uri)}`

const deniedOf = ({ origin, uri }: ForwardedRequest) =>
  `${origin}/_rolecall/denied?rd=${encodeURIComponent(uri)}`

/** Returns true if the browser loads a page in a window. Only such a request can be redirected to a sign-in. */
function isPageLoad({
  'x-forwarded-method': method = 'GET',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest = '',
  accept = '',
}: IncomingHttpHeaders): boolean {
  if (method !== 'GET') return false
  if (mode !== undefined) return mode === 'navigate' && !/frame|object|embed/.test(String(dest))
  return accept.includes('text/html')
}
