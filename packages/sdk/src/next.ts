import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import type { Cookie } from './site/cookies.ts'
import { type Incoming, incomingOf } from './site/incoming.ts'
import { lazily } from './site/lazily.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

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
 * What is used of Next.js, handed over by the app: this package then depends on no version of it, and both mean the
 * same module.
 */
export interface NextParts {
  /** Of `next/headers`. */
  cookies(): Promise<CookieWriter & { get(name: string): { readonly value: string } | undefined }>
  /** Of `next/headers`. */
  headers(): Promise<{ get(name: string): string | null }>
  /** Of `next/navigation`. */
  redirect(url: string): never
  /** Of `next/server`. */
  readonly NextResponse: {
    next(init: {
      readonly request: { readonly headers: Headers }
    }): Response & { readonly cookies: CookieWriter }
  }
}

/** Tells pages, which do not know it, what address was asked for. Whoever sends it chooses where they return to. */
const pathHeader = 'x-rolecall-path'

type RouteHandler<Context> = (request: Request, context: Context) => Promise<Response>

/**
 * The whole login for Next.js (App Router).
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
  /** The request that a page or a server action is made for. A page cannot set cookies. */
  const openHere = async () => {
    const headers = await next.headers()
    const request: Incoming = {
      method: 'GET',
      path: localPath(headers.get(pathHeader)),
      // Also for what the router loads without a page: `redirect()` is right for both.
      header: (name) => (name === 'sec-fetch-mode' ? 'navigate' : headers.get(name)),
      isReadOnly: true,
    }
    return (await site().open(request)).visit
  }
  const answer = async (request: Request): Promise<Response> =>
    (await site().open(incomingOf(request))).answer ?? new Response(null, { status: 404 })

  /** For pages, layouts and server actions: who is not logged in is sent to the login, and back. */
  async function requireMember(rules?: MemberRules): Promise<Session>
  /** For route handlers: who may not come in gets 401, 403 or 503 as problem JSON. */
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

    /** The routes of the login: `app/auth/[...rolecall]/route.ts` exports them. */
    handlers: { GET: answer, POST: answer },

    /** Keeps sessions going, which pages cannot. `proxy.ts` exports it. */
    async proxy(request: Request): Promise<Response> {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set(pathHeader, pathname + search)
      const onwards = () => next.NextResponse.next({ request: { headers } })
      if (site().isRoute(pathname)) return onwards()
      const opened = await site().open(incomingOf(request))
      if (opened.answer) return opened.answer
      const { cookies } = opened.visit
      const response = onwards()
      writeCookies(response.cookies, cookies)
      // Prerendered pages are for caches; not with somebody's cookie.
      if (cookies.length > 0) response.headers.set('cache-control', 'private, no-store')
      return response
    },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: async (): Promise<Session | undefined> => (await openHere()).currentSession(),

    requireMember,

    /** Ends the session; for server actions. */
    async signOut(): Promise<void> {
      const visit = await openHere()
      await visit.signOut()
      writeCookies(await next.cookies(), visit.cookies)
    },
  }
}

/** Only a path: the header may come from anywhere where there is no proxy. */
const localPath = (path: string | null) => (path?.startsWith('/') ? path : '/')

/**
 * Guards for route handlers whose callers bring a session token themselves, and for anything else that answers a
 * `Request` with a `Response`.
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
