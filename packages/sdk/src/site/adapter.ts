import type { Session } from '../contract-types.ts'
import type { Decision } from '../guard.ts'
import type { OpenedRequest } from './site.ts'
import type { Visit } from './visit.ts'

/**
 * Creates the shared part of the adapters for frameworks that pass one request object from handler to handler. The
 * returned functions store the visit (see `visit.ts`) and the session of each request under that object as the key. The
 * adapter itself only reads requests and sends responses.
 *
 * @typeParam FrameworkRequest the object that a framework passes from handler to handler: its request, or its context
 * @param mountCall the code that adds the adapter to an app, such as `app.use(rolecall.middleware())`. Named in
 * the error if the app did not call it
 */
export function createAdapter<FrameworkRequest extends object>(mountCall: string) {
  const visits = new WeakMap<FrameworkRequest, Visit>()
  const sessions = new WeakMap<FrameworkRequest, Session>()

  /** @throws Error if the app does not mount the adapter before this handler, which is a programming error */
  const visitOf = (request: FrameworkRequest): Visit => {
    const visit = visits.get(request)
    if (!visit) throw new Error(`${mountCall} must run before this handler.`)
    return visit
  }

  return {
    visitOf,
    currentSession: (request: FrameworkRequest): Promise<Session | undefined> =>
      visitOf(request).currentSession(),
    signOut: (request: FrameworkRequest): Promise<void> => visitOf(request).signOut(),

    /** @throws Error if no guard runs before this handler, which is a programming error */
    sessionOf: (request: FrameworkRequest): Session => {
      const session = sessions.get(request)
      if (!session) throw new Error('requireMember() must run before this handler.')
      return session
    },

    /**
     * Stores the visit of a request for later handlers. If the request has an early response, returns it instead: the
     * adapter sends it, and no handler runs.
     */
    storeVisit(request: FrameworkRequest, { visit, earlyResponse }: OpenedRequest): Response | undefined {
      if (!earlyResponse) visits.set(request, visit)
      return earlyResponse
    },

    /** Stores the session if the member has access. Otherwise returns the response that refuses the request. */
    storeSession(request: FrameworkRequest, decision: Decision): Response | undefined {
      if ('refusal' in decision) return decision.refusal
      sessions.set(request, decision.session)
      return undefined
    },
  }
}
