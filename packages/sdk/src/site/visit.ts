import type { Session } from '../contract-types.ts'
import { checkRules, type Decision, hasRequiredRoles, type MemberRules } from '../guard.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import { redirectTo } from './answers.ts'
import { type Cookie, dropped } from './cookies.ts'
import { type Incoming, isNavigation, isSafe, isSameOrigin } from './incoming.ts'
import type { Keeper, Kept } from './keeper.ts'
import { isDue, type Refreshed, type Refreshing } from './refreshing.ts'
import { refuse } from './refuse.ts'
import { safeReturnTo } from './return-to.ts'
import type { Settings } from './settings.ts'

export interface VisitParts {
  readonly settings: Settings
  readonly client: Rolecall
  readonly keeper: Keeper
  readonly refreshing: Refreshing
  /** The names of the cookies. */
  readonly names: { readonly session: string; readonly login: string; readonly retry: string }
}

/** One request of a browser: its session, and the cookies that the response must set. */
export type Visit = Awaited<ReturnType<typeof openVisit>>

/**
 * Reads the session of a request. Refreshes it if that is due and a person opens a page. Each refresh briefly
 * invalidates the session of the requests under way, and a prefetch must not cause one.
 */
export async function openVisit(
  parts: VisitParts,
  request: Incoming,
  given: ReadonlyMap<string, string>,
  mayRefresh = isNavigation(request) && !request.isReadOnly,
) {
  const { settings, client, keeper, refreshing, names } = parts
  const cookies: Cookie[] = []
  const isPage = isNavigation(request)
  let value = given.get(names.session)
  /** The reason for which the session of this cookie cannot be determined. */
  let failure: unknown
  const noteFailure = (error: unknown) => {
    failure = error
  }
  const found = value === undefined ? undefined : await keeper.read(value).catch(noteFailure)
  let kept = found ? found.kept : undefined
  let isSuperseded = false
  let redirect: Response | undefined

  const set = (next: Kept, cookie: string) => {
    kept = next
    value = cookie
    const maxAgeSec = Math.max(1, Math.ceil((next.expiresAtMs - Date.now()) / 1_000))
    cookies.push({ name: names.session, value: cookie, maxAgeSec })
  }
  const apply = (refreshed: Refreshed | undefined) => {
    if (refreshed?.kind === 'rotated') set(refreshed.kept, refreshed.cookie)
    isSuperseded = refreshed?.kind === 'superseded'
  }
  /** The refresh failed: the pair is unchanged, and the next page tries again. */
  const unlessItFails = (result: Promise<Refreshed | undefined>) =>
    result.catch((error: unknown) => void settings.onError(error))

  if (found && value !== undefined) {
    const known = refreshing.resultFor(found.kept)
    if (known) apply(await unlessItFails(known))
    else if (mayRefresh && isDue(found.kept))
      apply(await unlessItFails(refreshing.refresh(found.kept, value)))
    else if (mayRefresh && found.isOld) set(found.kept, await keeper.write(found.kept, value))
  }
  if (isSuperseded && isPage) {
    // Another request refreshed the pair first, so the browser should have its new cookie by now. Redirects once to try
    // again, then treats the visitor as signed out.
    const isSecondTry = given.has(names.retry)
    cookies.push(isSecondTry ? dropped(names.retry) : { name: names.retry, value: '1', maxAgeSec: 10 })
    if (!isSecondTry) redirect = redirectTo(safeReturnTo(request.path, settings.appUrl, settings.authPath))
    kept = undefined
    isSuperseded = false
  }

  /** Validates again, at each call. */
  const lookUp = async (): Promise<Session | undefined> => {
    if (failure) throw failure
    if (!kept || value === undefined) return undefined
    const session = await client.validate(kept.token)
    if (session) return session
    // Replaced while this request was on its way.
    const later = await unlessItFails(refreshing.replacementOf(kept, value))
    if (later?.kind !== 'rotated') return undefined
    apply(later)
    return client.validate(later.kept.token)
  }
  let looked: Promise<Session | undefined> | undefined
  const currentSession = () => {
    looked ??= lookUp()
    return looked
  }
  const unavailable = (error?: RolecallError) => {
    if (error) settings.onError(error)
    const headers = { 'retry-after': String(error ? (error.retryAfterSec ?? 2) : 1) }
    const retryUrl = safeReturnTo(request.path, settings.appUrl, settings.authPath)
    return refuse(settings, request, 503, 'SESSION_CHECK_UNAVAILABLE', { headers, retryUrl })
  }

  return {
    request,
    /** Sent instead of the app's response. */
    redirect,
    /** The cookies to set with the response. The list can grow until then. */
    cookies: cookies as readonly Cookie[],
    setCookie: (cookie: Cookie) => void cookies.push(cookie),
    isSuperseded,
    unavailable,
    lookUp,
    /** Identifies the session in this process; undefined if the request has none. */
    sessionKey: () => kept?.token,

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in.
     *
     * @throws RolecallError during an outage, when that cannot be determined.
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
     * Ends the session, here and at the service.
     *
     * @throws RolecallError if the service cannot be reached; the session then stays live.
     */
    async signOut(): Promise<void> {
      if (kept) await client.logout(kept.token)
      if (value !== undefined) await keeper.remove(value)
      looked = Promise.resolve(undefined)
      kept = undefined
      if (given.has(names.session) || value !== undefined) cookies.push(dropped(names.session))
    },

    /** Stores the session of a completed sign-in. */
    async signIn(next: Kept): Promise<void> {
      const before = kept
      set(next, await keeper.write(next))
      // No cookie still holds the browser's previous session. If this logout fails, that session stays live until it
      // expires, which is no reason to fail the sign-in.
      if (before) await client.logout(before.token).catch(settings.onError)
    },
  }
}
