import type { Session } from './contract-types.ts'
import { createDecide, createSessionBook, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { incomingOf } from './site/incoming.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'
import { createVisitBook } from './site/visit-book.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Context {
  readonly req: { header(name: string): string | undefined }
}

/** What is used of Hono's own context. */
interface SiteContext {
  readonly req: { readonly raw: Request }
  header(name: string, value: string, options: { append: boolean }): void
}

const book = createSessionBook<object>()
const visits = createVisitBook<object>('app.use(rolecall.middleware())')

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (context: object) => Session = book.sessionOf

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
      async (context: SiteContext, next: () => Promise<void>): Promise<Response | undefined> => {
        const { visit, answer } = await site.open(incomingOf(context.req.raw))
        if (answer) return answer
        visits.note(context, visit)
        await next()
        const headers = new Headers()
        site.finish(visit, headers)
        for (const [name, value] of headers) context.header(name, value, { append: name === 'set-cookie' })
        return undefined
      },

    /**
     * Middleware that lets in whoever has the roles, and a live session. Others see the login, or a page that says why
     * not; programs get 401, 403 or 503 as problem JSON.
     */
    requireMember:
      (rules: MemberRules = {}) =>
      async (context: SiteContext, next: () => Promise<void>): Promise<Response | undefined> => {
        const decision = await visits.of(context).decide(rules)
        if ('refusal' in decision) return decision.refusal
        book.note(context, decision.session)
        await next()
        return undefined
      },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: (context: object): Promise<Session | undefined> => visits.of(context).currentSession(),

    /** Ends the session, before the answer is sent. */
    signOut: (context: object): Promise<void> => visits.of(context).signOut(),
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
    requireMember:
      (rules: MemberRules = {}) =>
      async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
        const outcome = await decide((name) => context.req.header(name), rules)
        if (isRefusal(outcome)) {
          return new Response(outcome.body, { status: outcome.status, headers: outcome.headers })
        }
        book.note(context, outcome)
        await next()
        return undefined
      },
  }
}
