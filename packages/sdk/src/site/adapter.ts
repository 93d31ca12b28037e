import type { Session } from '../contract-types.ts'
import type { Decision } from '../guard.ts'
import type { Opened } from './site.ts'
import type { Visit } from './visit.ts'

/**
 * Creates the shared part of the adapters for frameworks that pass one request object from handler to handler. It
 * stores the visit and the session of each request by that object. The adapter itself only reads requests and sends
 * responses.
 *
 * @param mount the call that the app has forgotten if no visit is stored. An error message names it.
 */
export function createAdapter<Request extends object>(mount: string) {
  const visits = new WeakMap<Request, Visit>()
  const sessions = new WeakMap<Request, Session>()

  /** @throws Error if the app does not mount the adapter before this handler, which is a programming error */
  const visitOf = (request: Request): Visit => {
    const visit = visits.get(request)
    if (!visit) throw new Error(`${mount} must run before this handler.`)
    return visit
  }

  return {
    visitOf,
    currentSession: (request: Request): Promise<Session | undefined> => visitOf(request).currentSession(),
    signOut: (request: Request): Promise<void> => visitOf(request).signOut(),

    /** @throws Error if no guard runs before this handler, which is a programming error */
    sessionOf: (request: Request): Session => {
      const session = sessions.get(request)
      if (!session) throw new Error('requireMember() must run before this handler.')
      return session
    },

    /**
     * Stores the visit of a request for later handlers. Returns the response to send instead of theirs, if there is
     * one.
     */
    enter(request: Request, { visit, answer }: Opened): Response | undefined {
      if (!answer) visits.set(request, visit)
      return answer
    },

    /** Stores the session of a member with access. Returns the refusal for everyone else. */
    admit(request: Request, decision: Decision): Response | undefined {
      if ('refusal' in decision) return decision.refusal
      sessions.set(request, decision.session)
      return undefined
    },
  }
}
