import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import type { Cookie } from './site/cookies.ts'
import { type Incoming, incomingOf } from './site/incoming.ts'
import { lazily } from './site/lazily.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

interface CookieOptions {
  readonly httpOnly: boolean
  readonly sameSite: 'lax'
  readonly secure: boolean
  readonly path: string
  readonly maxAge: number
}

interface CookieWriter {
  set(name: string, value: string, options: CookieOptions): unknown
}

/**
 * The parts of Next.js that are used here. The app passes them. So this package depends on no version of Next.js, and
 * the app and this package use the same modules.
 */
export interface NextParts {
  /** From `next/headers`. */
  cookies(): Promise<CookieWriter & { get(name: string): { readonly value: string } | undefined }>
  /** From `next/headers`. */
  headers(): Promise<{ get(name: string): string | null }>
  /** From `next/navigation`. */
  redirect(url: string): never
  /** From `next/server`. */
  readonly NextResponse: {
    next(init: {
      readonly request: { readonly headers: Headers }
    }): Response & { readonly cookies: CookieWriter }
  }
}

/**
 * The header in which `proxy` passes the requested path to pages, because Next.js does not tell it to them. A client
 * that forges the header only chooses the path to which it returns itself.
 */
const pathHeader = 'x-rolecall-path'

type RouteHandler<Context> = (request: Request, context: Context) => Promise<Response>

/**
 * Adds the complete sign-in to Next.js (App Router).
 *
 * @example
 * // lib/rolecall.ts
 * export const rolecall = createRolecall({ cookies, headers, redirect, NextResponse })
 * // app/auth/[...rolecall]/route.ts
 * export const { GET, POST } = rolecall.handlers
 * // proxy.ts
 * export const proxy = rolecall.proxy
 * // a page
 * const { member } = await rolecall.requireMember({ anyOf: [crewRoleId] })
 */
export function createRolecall(next: NextParts, options: SiteOptions = {}) {
  const site = lazily(() => createSite(options))
  const attributes = ({ maxAgeSec }: Cookie): CookieOptions => {
    return { httpOnly: true, sameSite: 'lax', secure: site().isSecure, path: '/', maxAge: maxAgeSec }
  }
  const writeCookies = (writer: CookieWriter, cookies: readonly Cookie[]) => {
    for (const cookie of cookies) writer.set(cookie.name, cookie.value, attributes(cookie))
  }
  /** Opens the request of the current page or server action. Read-only, because a page cannot set cookies. */
  const openHere = async () => {
    const headers = await next.headers()
    const request: Incoming = {
      method: 'GET',
      path: localPath(headers.get(pathHeader)),
      // Treats a request of the client-side router as a navigation, too, because `redirect()` works for both.
      header: (name) => (name === 'sec-fetch-mode' ? 'navigate' : headers.get(name)),
      isReadOnly: true,
      isRedirectOnly: true,
    }
    return (await site().open(request)).visit
  }
  const answer = async (request: Request): Promise<Response> =>
    (await site().open(incomingOf(request))).earlyResponse ?? new Response(null, { status: 404 })

  /**
   * For pages, layouts, and server actions. Visitors who are not signed in are sent to sign in, and return afterward.
   */
  async function requireMember(rules?: MemberRules): Promise<Session>
  /** For route handlers. Without access, requests that are not page loads receive 401, 403, or 503 as problem JSON. */
  function requireMember<Context>(
    rules: MemberRules,
    handler: (request: Request, context: Context, session: Session) => Response | Promise<Response>,
  ): RouteHandler<Context>
  function requireMember<Context>(
    rules: MemberRules = {},
    handler?: (request: Request, context: Context, session: Session) => Response | Promise<Response>,
  ): Promise<Session> | RouteHandler<Context> {
    if (!handler) return requireHere(rules)
    return async (request, context) => {
      const { visit } = await site().open({ ...incomingOf(request), isReadOnly: true })
      const decision = await visit.decide(rules)
      return 'refusal' in decision ? decision.refusal : handler(request, context, decision.session)
    }
  }
  const requireHere = async (rules: MemberRules): Promise<Session> => {
    const decision = await (await openHere()).decide(rules)
    if ('session' in decision) return decision.session
    const { status, headers } = decision.refusal
    const { appUrl, authPath } = site().settings
    const page = `${appUrl}${authPath}/${status === 503 ? 'unavailable' : 'denied'}`
    return next.redirect(headers.get('location') ?? page)
  }

  return {
    get client(): Rolecall {
      return site().client
    },

    /** The handlers of the sign-in routes. Export them from `app/auth/[...rolecall]/route.ts`. */
    handlers: { GET: answer, POST: answer },

    /** Refreshes sessions, which pages cannot do, because they cannot set cookies. Export it from `proxy.ts`. */
    async proxy(request: Request): Promise<Response> {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set(pathHeader, pathname + search)
      const onwards = () => next.NextResponse.next({ request: { headers } })
      if (site().isRoute(pathname)) return onwards()
      const opened = await site().open(incomingOf(request))
      if (opened.earlyResponse) return opened.earlyResponse
      const { cookies } = opened.visit
      const response = onwards()
      writeCookies(response.cookies, cookies)
      // A shared cache may store a prerendered page, but never the cookie of a visitor.
      if (cookies.length > 0) response.headers.set('cache-control', 'private, no-store')
      return response
    },

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage,
     * when that cannot be determined.
     */
    currentSession: async (): Promise<Session | undefined> => (await openHere()).currentSession(),

    requireMember,

    /** Ends the session. Call it in server actions, which can set cookies. */
    async signOut(): Promise<void> {
      const visit = await openHere()
      await visit.signOut()
      writeCookies(await next.cookies(), visit.cookies)
    },
  }
}

/** Accepts only a path, because any client can set the header if the app has no `proxy.ts`. */
const localPath = (path: string | null) => (path?.startsWith('/') ? path : '/')

/**
 * Creates guards for route handlers of APIs that receive a session token from the caller. They also work in any other
 * framework with handlers from `Request` to `Response`.
 *
 * @example
 * const { requireMember } = createGuard(client)
 * export const GET = requireMember({ anyOf: [crewRoleId] }, (request, context, { member }) => Response.json(member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      <Incoming extends Request, Context>(
        rules: MemberRules,
        handler: (request: Incoming, context: Context, session: Session) => Response | Promise<Response>,
      ) =>
      async (request: Incoming, context: Context): Promise<Response> => {
        const decision = await decide((name) => request.headers.get(name), rules)
        return 'refusal' in decision ? decision.refusal : handler(request, context, decision.session)
      },
  }
}
