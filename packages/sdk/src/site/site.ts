import { Rolecall } from '../rolecall.ts'
import { readCookies, serializeCookie } from './cookies.ts'
import type { Incoming } from './incoming.ts'
import { createLiveStreams, type LiveStreams } from './live-streams.ts'
import { createLoginAttempts } from './login-attempts.ts'
import { createRefreshing, type Flights } from './refreshing.ts'
import { type RouteParts, respondByRoute } from './routes.ts'
import { createSealer } from './seal.ts'
import { createCookieStorage, createStoreStorage } from './session-storage.ts'
import { readSettings, type Settings, type SiteOptions } from './settings.ts'
import { sharedBy } from './shared.ts'
import { openVisit, type Visit } from './visit.ts'

/** A request after `open`. */
export interface OpenedRequest {
  readonly visit: Visit
  /** The response to send instead of the app's, e.g. that of a sign-in route. It already contains the cookies. */
  readonly earlyResponse: Response | undefined
}

/** The sign-in of one app, without a framework. The adapters build on it. */
export interface Site {
  readonly client: Rolecall
  readonly settings: Settings
  readonly isSecure: boolean
  /** Opens a request: runs it if it is for a sign-in route, or else reads its session. */
  open(request: Incoming): Promise<OpenedRequest>
  /** Adds the cookies of a visit to the headers of the app's response. */
  finish(visit: Visit, headers: Headers): void
  /** Returns the app's response with the cookies of a visit. */
  finished(visit: Visit, appResponse: Response): Response
  /** Returns true if a path belongs to the sign-in routes. */
  isRoute(path: string): boolean
}

/**
 * Creates the sign-in of an app. Within a process, sites with the same service, project, and secrets share one client,
 * and must therefore have the same options `cache` and `fetch`.
 *
 * @throws TypeError that names each missing or invalid setting
 */
export function createSite(options: SiteOptions): Site {
  const settings = readSettings(options)
  const { url, apiKey, clientId, appUrl, authPath, secrets, cache, store, fetch } = settings
  const isSecure = appUrl.startsWith('https:')
  // Browsers send cookies to all ports of a host. Without the project's ID, two apps on one machine would overwrite
  // each other's cookies.
  const prefix = `${isSecure ? '__Host-' : ''}rolecall_${clientId}`
  const names = { session: prefix, login: `${prefix}_login`, retry: `${prefix}_retry` }
  const { client, flights, liveStreams } = sharedBy(
    JSON.stringify([url, apiKey, prefix, secrets]),
    (): { client: Rolecall; flights: Flights; liveStreams: LiveStreams } => ({
      client: new Rolecall({ baseUrl: url, apiKey, cache, ...(fetch && { fetch }) }),
      flights: new Map(),
      liveStreams: createLiveStreams(),
    }),
  )
  const sealer = createSealer(secrets)
  const storage = store
    ? createStoreStorage(sealer, names.session, store)
    : createCookieStorage(sealer, names.session)
  const refreshing = createRefreshing(client, storage, flights)
  const attempts = createLoginAttempts(sealer, names.login)
  const parts: RouteParts = { settings, client, storage, refreshing, names, attempts, liveStreams }
  const finish = (visit: Visit, headers: Headers) => {
    if (visit.cookies.length === 0) return
    for (const cookie of visit.cookies) headers.append('set-cookie', serializeCookie(cookie, isSecure))
    // A shared cache would give the cookie of one member to other visitors.
    headers.set('cache-control', 'private, no-store')
  }
  const isRoute = (path: string) => path.startsWith(authPath) && /^([/?]|$)/.test(path.slice(authPath.length))

  return {
    client,
    settings,
    isSecure,
    isRoute,
    finish,
    finished(visit, appResponse) {
      if (visit.cookies.length === 0) return appResponse
      // The headers of a fetched response are immutable, so a new response is needed.
      const response = new Response(appResponse.body, appResponse)
      finish(visit, response.headers)
      return response
    },
    async open(request) {
      const cookies = readCookies(request.header('cookie'))
      if (isRoute(request.path)) {
        const { visit, response } = await respondByRoute(parts, request, cookies)
        finish(visit, response.headers)
        return { visit, earlyResponse: response }
      }
      const visit = await openVisit(parts, request, cookies)
      if (visit.redirect) finish(visit, visit.redirect.headers)
      return { visit, earlyResponse: visit.redirect }
    },
  }
}
