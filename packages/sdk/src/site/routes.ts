import { mintLogin } from '../mint-login.ts'
import { RolecallError } from '../rolecall-error.ts'
import { json, noContent, redirectTo, refuse } from './answers.ts'
import { type Incoming, isNavigation, isSameOrigin } from './incoming.ts'
import { liveAnswer } from './live.ts'
import type { LiveStreams } from './live-streams.ts'
import type { createLoginAttempts } from './login-attempts.ts'
import { safeReturnTo } from './return-to.ts'
import { openVisit, type Visit, type VisitParts } from './visit.ts'

export interface RouteParts extends VisitParts {
  readonly attempts: ReturnType<typeof createLoginAttempts>
  readonly liveStreams: LiveStreams
}

/** The input of a route. */
interface Context {
  readonly parts: RouteParts
  readonly visit: Visit
  readonly given: ReadonlyMap<string, string>
  readonly query: URLSearchParams
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly answer: (context: Context) => Promise<Response>
}

/** The routes below `authPath`. A route that changes something requires a POST from a page of this app. */
const routes: Readonly<Record<string, Route>> = {
  login: { method: 'GET', answer: beginLogin },
  callback: { method: 'GET', answer: finishLogin },
  logout: { method: 'POST', answer: logOut },
  refresh: { method: 'POST', answer: refreshSession },
  me: { method: 'GET', answer: tellSession },
  live: {
    method: 'GET',
    answer: async ({ parts: { client, liveStreams, settings }, visit }) =>
      liveAnswer(visit, client, liveStreams, settings.cache !== false),
  },
  // For frameworks that cannot set the status of a page: they redirect people here.
  denied: { method: 'GET', answer: async ({ visit }) => refuse(visit.request, 403, 'ROLE_REQUIRED') },
  unavailable: {
    method: 'GET',
    answer: async ({ visit }) => refuse(visit.request, 503, 'SESSION_CHECK_UNAVAILABLE'),
  },
}

const loginPath = (path: string, returnTo: string) =>
  `${path}/login?${new URLSearchParams({ return_to: returnTo })}`

async function beginLogin({ parts, visit, given, query }: Context): Promise<Response> {
  const { client, attempts, settings } = parts
  const { clientId, serverId, sso, appUrl, authPath } = settings
  const login = mintLogin()
  const returnTo = safeReturnTo(query.get('return_to'), appUrl, authPath)
  for (const cookie of await attempts.begin(given, login, returnTo)) visit.setCookie(cookie)
  const redirectUri = `${appUrl}${authPath}/callback`
  return redirectTo(await client.authorizeUrl({ clientId, serverId, redirectUri, sso, ...login }))
}

async function finishLogin({ parts, visit, given, query }: Context): Promise<Response> {
  const { client, attempts, settings } = parts
  const { url, clientId, appUrl, authPath, onError } = settings
  const { request } = visit
  const found = await attempts.finish(given, query.get('state') ?? '')
  if (typeof found === 'string') return refuse(request, 400, found, { href: loginPath(authPath, '/') })
  const href = loginPath(authPath, found.attempt.returnTo)
  visit.setCookie(found.ended)
  // RFC 9207: rejects a response that another service made for this app.
  if (query.get('iss')?.replace(/\/+$/, '') !== url) {
    onError(
      new Error(
        `The sign-in returned from another address than ROLECALL_URL, ${url}. Set ROLECALL_URL to the address for browsers.`,
      ),
    )
    return refuse(request, 400, 'LOGIN_FAILED', { href })
  }
  const code = query.get('code')
  const isRefused = query.get('error') === 'access_denied'
  if (!code) {
    const reason = query.get('error_description') ?? undefined
    return isRefused
      ? refuse(request, 403, 'LOGIN_REFUSED', { href, reason })
      : refuse(request, 503, 'LOGIN_FAILED', { href })
  }
  const { codeVerifier, returnTo } = found.attempt
  try {
    const redirectUri = `${appUrl}${authPath}/callback`
    // Omits the browser's address: the service has seen it itself, which is more reliable than a proxy header.
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
    return refuse(request, isOver ? 400 : 503, isOver ? 'LOGIN_CODE_USED' : 'LOGIN_FAILED', { href })
  }
}

async function logOut({ parts: { settings }, visit }: Context): Promise<Response> {
  try {
    await visit.signOut()
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    return visit.unavailable(error)
  }
  return isNavigationOfForm(visit)
    ? redirectTo(new URL(settings.afterLogout, settings.appUrl).href, 303)
    : noContent()
}

/** True for a form, false for a script. */
const isNavigationOfForm = ({ request: { header } }: Visit) => isNavigation({ method: 'GET', header })

/** Opening the visit has already refreshed a session that was due. */
async function refreshSession({ visit }: Context): Promise<Response> {
  return visit.isSuperseded ? visit.unavailable() : noContent()
}

async function tellSession({ visit }: Context): Promise<Response> {
  try {
    if (visit.isSuperseded) return visit.unavailable()
    return json((await visit.currentSession()) ?? null)
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    return visit.unavailable(error)
  }
}

/** Responds by the route that is named after `authPath/`. */
export async function answerByRoute(
  parts: RouteParts,
  request: Incoming,
  given: ReadonlyMap<string, string>,
): Promise<{ visit: Visit; answer: Response }> {
  const { appUrl, authPath } = parts.settings
  const { pathname, searchParams: query } = new URL(request.path, appUrl)
  const name = pathname.slice(authPath.length + 1)
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  const isRefresh = name === 'refresh' && request.method === 'POST' && isSameOrigin(request, appUrl)
  const visit = await openVisit(parts, request, given, isRefresh)
  const refusal = refusalBefore(route, visit, appUrl)
  if (refusal || !route) return { visit, answer: refusal ?? refuse(request, 404, 'NOT_FOUND') }
  return { visit, answer: await route.answer({ parts, visit, given, query }) }
}

/** Returns the response that refuses a request before its route, or undefined. */
function refusalBefore(route: Route | undefined, visit: Visit, appUrl: string): Response | undefined {
  const { request } = visit
  if (!route) return undefined
  if (request.method !== route.method) {
    return refuse(request, 405, 'METHOD_NOT_ALLOWED', { headers: { allow: route.method } })
  }
  const isForeign = route.method === 'POST' && !isSameOrigin(request, appUrl)
  return isForeign ? refuse(request, 403, 'CROSS_SITE_REQUEST') : undefined
}
