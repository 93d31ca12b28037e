import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { type NodeRequest, type NodeResponse, openNode, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Response {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

type Next = (error?: unknown) => void

// The text is for the error of a handler that runs without the middleware: it names the line that is missing.
const adapter = createAdapter<object>('app.use(rolecall.middleware())')

/** Creates middleware from a function that resolves to true if it has sent the response. */
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

/** Returns the session of a request that `requireMember()` admitted. */
export const sessionOf: (request: object) => Session = adapter.sessionOf

/**
 * Adds the complete sign-in to Express, and to any framework with `(request, response, next)` handlers.
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

    /** Handles the sign-in routes and refreshes sessions. Register it before all handlers that need the session. */
    middleware: () =>
      middlewareOf(async (request: NodeRequest, response: NodeResponse) =>
        sendToNode(adapter.storeVisit(request, await openNode(site, request, response)), response),
      ),

    /**
     * Admits members with a live session and the required roles. Other visitors are sent to sign in, or see a page that
     * says why they have no access. Programs receive 401, 403 or 503 as problem JSON.
     */
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (request: object, response: NodeResponse) =>
        sendToNode(adapter.storeSession(request, await adapter.visitOf(request).decide(rules)), response),
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
 * Creates guards for APIs that receive a session token from the caller.
 *
 * @example
 * const { requireMember } = createGuard(client)
 * app.get('/crew', requireMember({ anyOf: [crewRoleId] }), (req, res) => res.json(sessionOf(req).member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    /** Admits requests with a session token of a member with the required roles. Refuses others with problem JSON. */
    requireMember: (rules: MemberRules = {}) =>
      middlewareOf(async (request: Request, response: Response) => {
        const refusal = adapter.storeSession(request, await decide((name) => request.headers[name], rules))
        if (!refusal) return false
        response.writeHead(refusal.status, Object.fromEntries(refusal.headers)).end(await refusal.text())
        return true
      }),
  }
}
