import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { incomingOf } from './site/incoming.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Context {
  readonly req: { header(name: string): string | undefined }
}

/** The parts of Hono's own context that are used here. */
interface SiteContext {
  readonly req: { readonly raw: Request }
  header(name: string, value: string, options: { append: boolean }): void
}

type Next = () => Promise<void>

const adapter = createAdapter<object>('app.use(rolecall.middleware())')

/** Creates middleware from a function that may return a response. That response replaces the one of the app. */
const middlewareOf =
  <InputContext>(handle: (context: InputContext) => Promise<Response | undefined>) =>
  async (context: InputContext, next: Next): Promise<Response | undefined> => {
    const response = await handle(context)
    if (response) return response
    await next()
    return undefined
  }

/** Returns the session of a request that `requireMember()` admitted. */
export const sessionOf: (context: object) => Session = adapter.sessionOf

/**
 * Adds the complete sign-in to Hono.
 *
 * @example
 * const rolecall = createRolecall()
 * app.use(rolecall.middleware())
 * app.get('/crew', rolecall.requireMember({ anyOf: [crewRoleId] }), (c) => c.json(sessionOf(c).member))
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = createSite(options)
  return {
    client: site.client,

    /** Handles the sign-in routes and refreshes sessions. Register it before all handlers that need the session. */
    middleware:
      () =>
      async (context: SiteContext, next: Next): Promise<Response | undefined> => {
        const opened = await site.open(incomingOf(context.req.raw))
        const response = adapter.storeVisit(context, opened)
        if (response) return response
        await next()
        const headers = new Headers()
        site.finish(opened.visit, headers)
        for (const [name, value] of headers) context.header(name, value, { append: name === 'set-cookie' })
        return undefined
      },

    /**
     * Middleware that admits members with a live session and the required roles. Other visitors are sent to sign in, or
     * see a page that says why they have no access. Programs receive 401, 403 or 503 as problem JSON.
     */
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (context: SiteContext) =>
        adapter.storeSession(context, await adapter.visitOf(context).decide(rules)),
      ),

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage,
     * when that cannot be determined.
     */
    currentSession: adapter.currentSession,

    /** Ends the session. Call it before the response is sent. */
    signOut: adapter.signOut,
  }
}

/**
 * Creates guards for APIs that receive a session token from the caller: middleware.
 *
 * @example
 * const { requireMember } = createGuard(client)
 * app.get('/crew', requireMember({ anyOf: [crewRoleId] }), (c) => c.json(sessionOf(c).member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (context: Context) =>
        adapter.storeSession(context, await decide((name) => context.req.header(name), rules)),
      ),
  }
}
