import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { incomingOf } from './site/incoming.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Context {
  readonly req: { header(name: string): string | undefined }
}

/** What is used of Hono's own context. */
interface SiteContext {
  readonly req: { readonly raw: Request }
  header(name: string, value: string, options: { append: boolean }): void
}

type Next = () => Promise<void>

const adapter = createAdapter<object>('app.use(rolecall.middleware())')

/** Makes middleware from a function that may return a response to send instead of the app's. */
const middlewareOf =
  <Given>(answerTo: (context: Given) => Promise<Response | undefined>) =>
  async (context: Given, next: Next): Promise<Response | undefined> => {
    const answer = await answerTo(context)
    if (answer) return answer
    await next()
    return undefined
  }

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (context: object) => Session = adapter.sessionOf

/**
 * The whole login for Hono.
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

    /** Answers the routes of the login, and keeps sessions going. Before everything that asks who is logged in. */
    middleware:
      () =>
      async (context: SiteContext, next: Next): Promise<Response | undefined> => {
        const opened = await site.open(incomingOf(context.req.raw))
        const answer = adapter.enter(context, opened)
        if (answer) return answer
        await next()
        const headers = new Headers()
        site.finish(opened.visit, headers)
        for (const [name, value] of headers) context.header(name, value, { append: name === 'set-cookie' })
        return undefined
      },

    /**
     * Middleware that lets in whoever has the roles, and a live session. Others see the login, or a page that says why
     * not; programs get 401, 403 or 503 as problem JSON.
     */
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (context: SiteContext) =>
        adapter.admit(context, await adapter.visitOf(context).decide(rules)),
      ),

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: adapter.currentSession,

    /** Ends the session, before the answer is sent. */
    signOut: adapter.signOut,
  }
}

/**
 * Guards for APIs whose callers bring a session token themselves: middleware.
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
        adapter.admit(context, await decide((name) => context.req.header(name), rules)),
      ),
  }
}
