import type { Visit } from './visit.ts'

/** The visits of requests, by the framework's own request object. */
export function createVisitBook<Request extends object>(mount: string) {
  const visits = new WeakMap<Request, Visit>()
  return {
    note: (request: Request, visit: Visit) => void visits.set(request, visit),
    /** @throws when nothing of ours has seen the request: that is a mistake in the program. */
    of: (request: Request): Visit => {
      const visit = visits.get(request)
      if (!visit) throw new Error(`${mount} does not stand before this handler.`)
      return visit
    },
  }
}
