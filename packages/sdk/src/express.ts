import type { Session } from './contract-types.ts'
import { createDecide, createSessionBook, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { finishNode, incomingOfNode, type NodeRequest, type NodeResponse, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'
import { createVisitBook } from './site/visit-book.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Response {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

type Next = (error?: unknown) => void

const book = createSessionBook<object>()
const visits = createVisitBook<object>('app.use(rolecall.middleware())')

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (request: object) => Session = book.sessionOf

/**
 * The whole login for Express, and for anything else that takes `(request, response, next)`.
 *
 * @example
 * const rolecall = createRolecall()
 * app.use(rolecall.middleware())
 * app.get('/crew', rolecall.requireMember({ anyOf: [crewRoleId] }), (req, res) => res.json(sessionOf(req).member))
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = createSite(options)
  return {
    client: site.client,

    /** Answers the routes of the login, and keeps sessions going. Before everything that asks who is logged in. */
    middleware:
      () =>
      async (request: NodeRequest, response: NodeResponse, next: Next): Promise<void> => {
        try {
          const { visit, answer } = await site.open(incomingOfNode(request, response))
          if (answer) {
            await sendToNode(answer, response)
            return
          }
          visits.note(request, visit)
          finishNode(site, visit, response)
        } catch (error) {
          next(error)
          return
        }
        next()
      },

    /**
     * Lets in whoever has the roles, and a live session. Others see the login, or a page that says why not; programs get
     * 401, 403 or 503 as problem JSON.
     */
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: object, response: NodeResponse, next: Next): Promise<void> => {
        try {
          const decision = await visits.of(request).decide(rules)
          if ('refusal' in decision) {
            await sendToNode(decision.refusal, response)
            return
          }
          book.note(request, decision.session)
        } catch (error) {
          next(error)
          return
        }
        next()
      },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: (request: object): Promise<Session | undefined> => visits.of(request).currentSession(),

    /** Ends the session, before the response is sent. */
    signOut: (request: object): Promise<void> => visits.of(request).signOut(),
  }
}

/**
 * Guards for APIs whose callers bring a session token themselves.
 *
 * @example
 * const { requireMember } = createGuard(client)
 * app.get('/crew', requireMember({ anyOf: [crewRoleId] }), (req, res) => res.json(sessionOf(req).member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: Request, response: Response, next: Next): Promise<void> => {
        try {
          const outcome = await decide((name) => request.headers[name], rules)
          if (isRefusal(outcome)) {
            response.writeHead(outcome.status, { ...outcome.headers }).end(outcome.body)
            return
          }
          book.note(request, outcome)
        } catch (error) {
          next(error)
          return
        }
        next()
      },
  }
}
