import type { Session } from '../contract-types.ts'
import { checkRules, type Decision, hasRequiredRoles, type MemberRules } from '../guard.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import { redirectTo } from './answers.ts'
import { type Cookie, dropped } from './cookies.ts'
import { type Incoming, isNavigation, isSafe, isSameOrigin } from './incoming.ts'
import { isDue, type Refreshed, type Refreshing } from './refreshing.ts'
import { refuse } from './refuse.ts'
import { safeReturnTo } from './return-to.ts'
import type { SessionStorage, StoredSession } from './session-storage.ts'
import type { Settings } from './settings.ts'

/** The parts of a site that a visit uses. */
export interface VisitParts {
  readonly settings: Settings
  readonly client: Rolecall
  readonly storage: SessionStorage
  readonly refreshing: Refreshing
  /** The names of the cookies. `login` is only a prefix. */
  readonly names: { readonly session: string; readonly login: string; readonly retry: string }
}

/** One request of a browser: its session, and the cookies that the response must set. */
export type Visit = Awaited<ReturnType<typeof openVisit>>

/**
 * Reads the session of a request, and refreshes it if that is due.
 *
 * Only a request with which a person opens a page causes a refresh. A refresh invalidates the tokens of all other
 * requests that are under way, so a prefetch or a script must not cause one.
 *
 * @param requestCookies the cookies of the request, by name
 */
export async function openVisit(
  parts: VisitParts,
  request: Incoming,
  requestCookies: ReadonlyMap<string, string>,
  mayRefresh = isNavigation(request) && !request.isReadOnly,
) {
  const { settings, client, storage, refreshing, names } = parts
  const cookies: Cookie[] = []
  const isPage = isNavigation(request)
  let value = requestCookies.get(names.session)
  /** The error of the app's store, if the session could not be read. */
  let failure: unknown
  const recordFailure = (error: unknown) => {
    failure = error
  }
  const found = value === undefined ? undefined : await storage.read(value).catch(recordFailure)
  let stored = found ? found.stored : undefined
  let isSuperseded = false
  let redirect: Response | undefined

  const set = (next: StoredSession, cookie: string) => {
    stored = next
    value = cookie
    const maxAgeSec = Math.max(1, Math.ceil((next.expiresAtMs - Date.now()) / 1_000))
    cookies.push({ name: names.session, value: cookie, maxAgeSec })
  }
  const apply = (refreshed: Refreshed | undefined) => {
    if (refreshed?.kind === 'rotated') set(refreshed.stored, refreshed.cookie)
    isSuperseded = refreshed?.kind === 'superseded'
  }
  /** Reports the error of a failed refresh, and resolves to undefined. The next page tries to refresh again. */
  const reportFailure = (result: Promise<Refreshed | undefined>) =>
    result.catch((error: unknown) => void settings.onError(error))

  if (found && value !== undefined) {
    const pending = refreshing.resultFor(found.stored)
    if (pending) apply(await reportFailure(pending))
    else if (mayRefresh && isDue(found.stored))
      apply(await reportFailure(refreshing.refresh(found.stored, value)))
    else if (mayRefresh && found.isOldSecret) set(found.stored, await storage.write(found.stored, value))
  }
  if (isSuperseded && isPage) {
    // Another request refreshed the pair first, so the browser should have the new cookie by now. Redirects once, so
    // that the browser sends it. If the second request has the old pair as well, treats the visitor as signed out.
    const isSecondTry = requestCookies.has(names.retry)
    cookies.push(isSecondTry ? dropped(names.retry) : { name: names.retry, value: '1', maxAgeSec: 10 })
    if (!isSecondTry) redirect = redirectTo(safeReturnTo(request.path, settings.appUrl, settings.authPath))
    stored = undefined
    isSuperseded = false
  }

  /** Checks the session. Each call sends a request to the service, unless the client has cached the session. */
  const validate = async (): Promise<Session | undefined> => {
    if (failure) throw failure
    if (!stored || value === undefined) return undefined
    const session = await client.validate(stored.token)
    if (session) return session
    // Another request may have replaced the pair in the meantime.
    const replacement = await reportFailure(refreshing.replacementOf(stored, value))
    if (replacement?.kind !== 'rotated') return undefined
    apply(replacement)
    return client.validate(replacement.stored.token)
  }
  let validated: Promise<Session | undefined> | undefined
  const currentSession = () => {
    validated ??= validate()
    return validated
  }
  const unavailable = (error?: RolecallError) => {
    if (error) settings.onError(error)
    const headers = { 'retry-after': String(error ? (error.retryAfterSec ?? 2) : 1) }
    const retryUrl = safeReturnTo(request.path, settings.appUrl, settings.authPath)
    return refuse(settings, request, 503, 'SESSION_CHECK_UNAVAILABLE', { headers, retryUrl })
  }

  return {
    request,
    /** The redirect to send instead of the app's response, if there is one. */
    redirect,
    /** The cookies to set with the response. The list can grow until the response is sent, so read it then. */
    cookies: cookies as readonly Cookie[],
    setCookie: (cookie: Cookie) => void cookies.push(cookie),
    isSuperseded,
    unavailable,
    validate,
    /** Returns the session token, which identifies the session in this process, or undefined without a session. */
    sessionKey: () => stored?.token,

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Checks it once per request.
     *
     * @throws RolecallError if the service or the app's store cannot be reached
     */
    currentSession,

    /** Returns a live session with the required roles, or the response that refuses the request. */
    async decide(rules: MemberRules = {}): Promise<Decision> {
      checkRules(rules)
      if (!isSafe(request) && !isSameOrigin(request, settings.appUrl)) {
        return { refusal: await refuse(settings, request, 403, 'CROSS_SITE_REQUEST') }
      }
      if (isSuperseded) return { refusal: await unavailable() }
      let session: Session | undefined
      try {
        session = await currentSession()
      } catch (error) {
        if (!(error instanceof RolecallError)) throw error
        return { refusal: await unavailable(error) }
      }
      const { appUrl, authPath } = settings
      if (session) {
        return hasRequiredRoles(session, rules)
          ? { session }
          : { refusal: await refuse(settings, request, 403, 'ROLE_REQUIRED') }
      }
      const login = `${appUrl}${authPath}/login`
      if (isPage)
        return { refusal: redirectTo(`${login}?${new URLSearchParams({ return_to: request.path })}`) }
      const headers = { 'www-authenticate': `Cookie form-action="${login}", cookie-name="${names.session}"` }
      return { refusal: await refuse(settings, request, 401, 'LOGIN_REQUIRED', { headers }) }
    },

    /**
     * Ends the session at the service, and deletes its cookie.
     *
     * @throws RolecallError if the service cannot be reached. The session then stays live.
     */
    async signOut(): Promise<void> {
      if (stored) await client.logout(stored.token)
      if (value !== undefined) await storage.remove(value)
      validated = Promise.resolve(undefined)
      stored = undefined
      if (requestCookies.has(names.session) || value !== undefined) cookies.push(dropped(names.session))
    },

    /** Stores the session of a completed sign-in. */
    async signIn(next: StoredSession): Promise<void> {
      const previous = stored
      set(next, await storage.write(next))
      // Ends the browser's previous session, because no cookie leads to it anymore. A failure must not fail the
      // sign-in: the old session then ends at its expiry.
      if (previous) await client.logout(previous.token).catch(settings.onError)
    },
  }
}
