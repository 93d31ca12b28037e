import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import { incomingOf } from './site/incoming.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'
import type { Visit } from './site/visit.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

/** Whoever sends a request. */
export interface Visitor {
  /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
  currentSession(): Promise<Session | undefined>
  /**
   * Whoever has the roles. Else it throws what `handle()` then answers: others see the login, or a page that says why
   * not; programs get 401, 403 or 503 as problem JSON.
   */
  requireMember(rules?: MemberRules): Promise<Session>
  /** Ends the session. */
  signOut(): Promise<void>
}

/** Thrown by `requireMember()`, and answered by `handle()`. */
class Refused extends Error {
  readonly response: Response

  constructor(response: Response) {
    super(`Not let in: ${response.status}.`)
    this.response = response
  }
}

/**
 * The whole login for whatever answers a `Request` with a `Response`: Bun, Deno, workers.
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

    /** Answers the routes of the login; 404 for what is none of them. */
    async handler(request: Request): Promise<Response> {
      const { answer } = await open(request)
      return answer ?? new Response(null, { status: 404 })
    },

    /** Answers the routes of the login, keeps sessions going, and hands every other request on. */
    async handle<Incoming extends Request>(
      request: Incoming,
      next: (request: Incoming, visitor: Visitor) => Response | Promise<Response>,
    ): Promise<Response> {
      const { visit, answer } = await open(request)
      if (answer) return answer
      const made = await answerOf(() => next(request, visitorOf(visit)))
      return site.finished(visit, made)
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
