import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import { incomingOf } from './site/incoming.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'
import type { Visit } from './site/visit.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

/** The person or program that sent a request. `handle()` passes it to your handler. */
export interface Visitor {
  /**
   * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage, when
   * that cannot be determined.
   */
  currentSession(): Promise<Session | undefined>
  /**
   * Returns the session if the member has the required roles. Otherwise it throws, and `handle()` responds: people are
   * sent to sign in, or see a page that says why they have no access, and programs receive 401, 403, or 503 as problem
   * JSON. Do not catch what it throws.
   */
  requireMember(rules?: MemberRules): Promise<Session>
  /** Ends the session. */
  signOut(): Promise<void>
}

/** Thrown by `requireMember()`, and converted to its response by `handle()`. */
class Refused extends Error {
  readonly response: Response

  constructor(response: Response) {
    super(`Sign-in refused: ${response.status}.`)
    this.response = response
  }
}

/**
 * Adds the complete sign-in to any server that responds to a `Request` with a `Response`: Bun, Deno, workers.
 *
 * @example
 * const rolecall = createRolecall()
 * export default {
 *   fetch: (request) => rolecall.handle(request, async (request, visitor) => {
 *     const { member } = await visitor.requireMember({ anyOf: [crewRoleId] })
 *     return Response.json(member)
 *   }),
 * }
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = createSite(options)
  const open = (request: Request) => site.open(incomingOf(request))
  return {
    client: site.client,

    /** Handles the sign-in routes. Returns 404 for any other route. */
    async handler(request: Request): Promise<Response> {
      const { earlyResponse } = await open(request)
      return earlyResponse ?? new Response(null, { status: 404 })
    },

    /** Handles the sign-in routes, refreshes sessions, and passes all other requests to `next`. */
    async handle<Incoming extends Request>(
      request: Incoming,
      next: (request: Incoming, visitor: Visitor) => Response | Promise<Response>,
    ): Promise<Response> {
      const { visit, earlyResponse } = await open(request)
      if (earlyResponse) return earlyResponse
      const response = await answerOf(() => next(request, visitorOf(visit)))
      return site.finished(visit, response)
    },
  }
}

const visitorOf = (visit: Visit): Visitor => ({
  currentSession: visit.currentSession,
  signOut: visit.signOut,
  async requireMember(rules) {
    const decision = await visit.decide(rules)
    if ('refusal' in decision) throw new Refused(decision.refusal)
    return decision.session
  },
})

async function answerOf(run: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refused) return error.response
    throw error
  }
}
