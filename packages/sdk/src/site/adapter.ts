import type { Session } from '../contract-types.ts'
import type { Decision } from '../guard.ts'
import type { Opened } from './site.ts'
import type { Visit } from './visit.ts'

/**
 * Holds what the adapters have in common for frameworks that pass a request object on from handler to handler: the visit
 * and the session of each request, by that object. An adapter adds how its framework is read and answered.
 *
 * @param mount the call that is missing where a handler runs without a visit
 */
export function createAdapter<Request extends object>(mount: string) {
  const visits = new WeakMap<Request, Visit>()
  const sessions = new WeakMap<Request, Session>()

  /** @throws when the app does not mount the adapter before this handler, which is a mistake in the program. */
  const visitOf = (request: Request): Visit => {
    const visit = visits.get(request)
    if (!visit) throw new Error(`${mount} does not stand before this handler.`)
    return visit
  }

  return {
    visitOf,
    currentSession: (request: Request): Promise<Session | undefined> => visitOf(request).currentSession(),
    signOut: (request: Request): Promise<void> => visitOf(request).signOut(),

    /** @throws when no guard stands before this handler, which is a mistake in the program. */
    sessionOf: (request: Request): Session => {
      const session = sessions.get(request)
      if (!session) throw new Error('No requireMember() stands before this handler.')
      return session
    },

    /** Keeps the visit of a request for the handlers behind it. Returns what to send instead of their answer, if anything. */
    enter(request: Request, { visit, answer }: Opened): Response | undefined {
      if (!answer) visits.set(request, visit)
      return answer
    },

    /** Keeps the session of a member who may come in. Returns the refusal to send to everyone else. */
    admit(request: Request, decision: Decision): Response | undefined {
      if ('refusal' in decision) return decision.refusal
      sessions.set(request, decision.session)
      return undefined
    },
  }
}
