import { mintLogin } from '../mint-login.ts'
import { RolecallError } from '../rolecall-error.ts'
import { json, noContent, redirectTo } from './answers.ts'
import { type Incoming, isNavigation, isSameOrigin } from './incoming.ts'
import { liveResponse } from './live.ts'
import type { LiveStreams } from './live-streams.ts'
import type { createLoginAttempts } from './login-attempts.ts'
import { chosenLanguage } from './page-language.ts'
import { refuse, respondWithPage } from './refuse.ts'
import { safeReturnTo } from './return-to.ts'
import type { Settings } from './settings.ts'
import { openVisit, type Visit, type VisitParts } from './visit.ts'

/** The parts of a site that the routes use. */
export interface RouteParts extends VisitParts {
  readonly attempts: ReturnType<typeof createLoginAttempts>
  readonly liveStreams: LiveStreams
}

/** The input of a route. */
interface Context {
  readonly parts: RouteParts
  readonly visit: Visit
  /** The cookies of the request, by name. */
  readonly cookies: ReadonlyMap<string, string>
  readonly query: URLSearchParams
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly respond: (context: Context) => Promise<Response>
}

/**
 * The routes below `authPath`, by name. Except for the sign-in itself (`login` and `callback`), a route that changes
 * something requires a POST from a page of this app.
 */
const routes: Readonly<Record<string, Route>> = {
  login: { method: 'GET', respond: beginLogin },
  callback: { method: 'GET', respond: finishLogin },
  logout: { method: 'POST', respond: logOut },
  refresh: { method: 'POST', respond: refreshSession },
  me: { method: 'GET', respond: sendSession },
  live: {
    method: 'GET',
    respond: async ({ parts: { client, liveStreams, settings }, visit }) =>
      liveResponse(visit, client, liveStreams, settings.cache !== false),
  },
  // Frameworks that cannot set the status of a page redirect people to these two routes.
  denied: {
    method: 'GET',
    respond: ({ parts, visit }) => refuse(parts.settings, visit.request, 403, 'ROLE_REQUIRED'),
  },
  unavailable: {
    method: 'GET',
    respond: ({ parts, visit }) => refuse(parts.settings, visit.request, 503, 'SESSION_CHECK_UNAVAILABLE'),
  },
  // A sign-out by form redirects here, so that a reload does not send the form again. Any site can link to this route.
  // So it redirects a member who is still signed in to the start page, and does not claim that they signed out.
  'signed-out': {
    method: 'GET',
    respond: async ({ parts: { settings }, visit }) =>
      (await visit.currentSession())
        ? redirectTo(`${settings.appUrl}/`)
        : respondWithPage(settings, visit.request, 200, 'SIGNED_OUT'),
  },
}

const loginUrl = ({ appUrl, authPath }: Settings, returnTo: string) =>
  `${appUrl}${authPath}/login?${new URLSearchParams({ return_to: returnTo })}`

async function beginLogin({ parts, visit, cookies, query }: Context): Promise<Response> {
  const { client, attempts, settings } = parts
  const { clientId, serverId, sso, appUrl, authPath } = settings
  const login = mintLogin()
  const returnTo = safeReturnTo(query.get('return_to'), appUrl, authPath)
  for (const cookie of await attempts.begin(cookies, login, returnTo)) visit.setCookie(cookie)
  const redirectUri = `${appUrl}${authPath}/callback`
  const uiLocales = chosenLanguage(settings, visit.request)
  const terms = { clientId, serverId, redirectUri, sso, ...login, ...(uiLocales && { uiLocales }) }
  return redirectTo(await client.authorizeUrl(terms))
}

async function finishLogin({ parts, visit, cookies, query }: Context): Promise<Response> {
  const { client, attempts, settings } = parts
  const { url, clientId, appUrl, authPath, onError } = settings
  const { request } = visit
  const finished = await attempts.finish(cookies, query.get('state') ?? '')
  if (typeof finished === 'string') {
    return refuse(settings, request, 400, finished, { retryUrl: loginUrl(settings, '/') })
  }
  const retryUrl = loginUrl(settings, finished.attempt.returnTo)
  visit.setCookie(finished.ended)
  // Rejects a response that another service created for this app (RFC 9207).
  if (query.get('iss')?.replace(/\/+$/, '') !== url) {
    onError(
      new Error(
        `The issuer (iss) of the sign-in response is missing, or is not ROLECALL_URL (${url}). Set ROLECALL_URL to the address of the service that browsers use.`,
      ),
    )
    return refuse(settings, request, 400, 'LOGIN_FAILED', { retryUrl })
  }
  const code = query.get('code')
  if (!code) {
    // The state and the issuer are verified, so no other site can choose this reason.
    const reason = readReason(query)
    return query.get('error') === 'access_denied'
      ? refuse(settings, request, 403, 'LOGIN_REFUSED', { retryUrl, ...reason })
      : refuse(settings, request, 503, 'LOGIN_FAILED', { retryUrl, ...reason })
  }
  const { codeVerifier, returnTo } = finished.attempt
  try {
    const redirectUri = `${appUrl}${authPath}/callback`
    // Does not pass the browser's IP address. The service has seen it, which is more reliable than a header of a proxy.
    const { token, refreshToken, expiresAt } = await client.exchange({
      clientId,
      code,
      redirectUri,
      codeVerifier,
    })
    await visit.signIn({ token, refreshToken, obtainedAtMs: Date.now(), expiresAtMs: Date.parse(expiresAt) })
    return redirectTo(returnTo)
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    onError(error)
    const isOver = error.code === 'INVALID_CODE'
    return isOver
      ? refuse(settings, request, 400, 'LOGIN_CODE_USED', { retryUrl })
      : refuse(settings, request, 503, 'LOGIN_FAILED', { retryUrl })
  }
}

/** Reads the reason from a redirect without a code: a name, and a sentence in ASCII (RFC 6749 §4.1.2.1). */
function readReason(query: URLSearchParams) {
  const [reason, serviceText] = [query.get('error_reason') ?? '', query.get('error_description') ?? '']
  return {
    reason: /^[a-z_]{1,40}$/.test(reason) ? reason : undefined,
    serviceText: /^[\x20-\x7e]{1,500}$/.test(serviceText) ? serviceText : undefined,
  }
}

async function logOut({ parts: { settings }, visit }: Context): Promise<Response> {
  await visit.signOut()
  return isNavigationOfForm(visit)
    ? redirectTo(new URL(settings.afterLogout, settings.appUrl).href, 303)
    : noContent()
}

/** Returns true if a form sent the request, false for a script. */
const isNavigationOfForm = ({ request: { header } }: Visit) => isNavigation({ method: 'GET', header })

/** Responds to `refresh`. There is nothing left to refresh, because `openVisit` has done that if it was due. */
async function refreshSession({ visit }: Context): Promise<Response> {
  return visit.isSuperseded ? visit.unavailable() : noContent()
}

async function sendSession({ visit }: Context): Promise<Response> {
  if (visit.isSuperseded) return visit.unavailable()
  return json((await visit.currentSession()) ?? null)
}

/** Runs the route that the path names below `authPath`. Responds with 404 to an unknown name. */
export async function respondByRoute(
  parts: RouteParts,
  request: Incoming,
  cookies: ReadonlyMap<string, string>,
): Promise<{ visit: Visit; response: Response }> {
  const { appUrl, authPath } = parts.settings
  const { pathname, searchParams: query } = new URL(request.path, appUrl)
  const name = pathname.slice(authPath.length + 1)
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  const isRefresh = name === 'refresh' && request.method === 'POST' && isSameOrigin(request, appUrl)
  const visit = await openVisit(parts, request, cookies, isRefresh)
  if (!route) return { visit, response: await refuse(parts.settings, request, 404, 'NOT_FOUND') }
  const refusal = await refusalBefore(route, visit, parts.settings)
  if (refusal) return { visit, response: refusal }
  return { visit, response: await respondOrUnavailable(route, { parts, visit, cookies, query }) }
}

/** Responds with 503 if the service cannot be reached. */
async function respondOrUnavailable(route: Route, context: Context): Promise<Response> {
  try {
    return await route.respond(context)
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    return context.visit.unavailable(error)
  }
}

/** Returns a refusal if the method is wrong, or if a POST comes from another site. Undefined otherwise. */
async function refusalBefore(
  route: Route,
  { request }: Visit,
  settings: Settings,
): Promise<Response | undefined> {
  if (request.method !== route.method) {
    return refuse(settings, request, 405, 'METHOD_NOT_ALLOWED', { headers: { allow: route.method } })
  }
  const isForeign = route.method === 'POST' && !isSameOrigin(request, settings.appUrl)
  return isForeign ? refuse(settings, request, 403, 'CROSS_SITE_REQUEST') : undefined
}
