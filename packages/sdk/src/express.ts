import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { type NodeRequest, type NodeResponse, openNode, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Response {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

type Next = (error?: unknown) => void

const adapter = createAdapter<object>('app.use(rolecall.middleware())')

/** Makes middleware from a function that returns true if it has answered the request. */
const middlewareOf =
  <Incoming, Outgoing>(hasAnswered: (request: Incoming, response: Outgoing) => Promise<boolean>) =>
  async (request: Incoming, response: Outgoing, next: Next): Promise<void> => {
    try {
      if (await hasAnswered(request, response)) return
    } catch (error) {
      next(error)
      return
    }
    next()
  }

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (request: object) => Session = adapter.sessionOf

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
    middleware: () =>
      middlewareOf(async (request: NodeRequest, response: NodeResponse) =>
        sendToNode(adapter.enter(request, await openNode(site, request, response)), response),
      ),

    /**
     * Lets in whoever has the roles, and a live session. Others see the login, or a page that says why not; programs get
     * 401, 403 or 503 as problem JSON.
     */
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (request: object, response: NodeResponse) =>
        sendToNode(adapter.admit(request, await adapter.visitOf(request).decide(rules)), response),
      ),

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: adapter.currentSession,

    /** Ends the session, before the response is sent. */
    signOut: adapter.signOut,
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
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (request: Request, response: Response) => {
        const refusal = adapter.admit(request, await decide((name) => request.headers[name], rules))
        if (!refusal) return false
        response.writeHead(refusal.status, Object.fromEntries(refusal.headers)).end(await refusal.text())
        return true
      }),
  }
}
