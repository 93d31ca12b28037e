import type { Clock } from '../clock.ts'
import type { Caller } from './caller.ts'
import type { RouteName } from './route-names.ts'

/** A fault to simulate. Its parts can be combined: `{ delayMs: 500, status: 503 }` is a late refusal. */
export interface Fault {
  /** The status to send instead of handling the request. Responses with 429 and 5xx have the real platform's format. */
  status?: number
  /** The JSON error code and message that accompany `status`. */
  code?: number
  message?: string
  /** For 429: the seconds to wait, in the header and the body. */
  retryAfterSec?: number
  /** For 429: the value of the header `X-RateLimit-Scope`. The default is `user`, or `global` if `global` is true. */
  scope?: 'user' | 'global' | 'shared'
  /** For 429: says that the limit applies to all requests. The default is true if `scope` is `global`. */
  global?: boolean
  /** For 429: sends no rate-limit headers, like the network edge, and `Retry-After` only with `retryAfterSec`. */
  headerless?: boolean
  /** For 429: sends the plain body `error code: 1015`, like the network edge. */
  plain1015?: boolean
  /** Sends an HTML page with `status`, like a proxy in front of the API. */
  html?: boolean
  /** Sends 200 with an HTML page. */
  html200?: boolean
  /** The IDs of members to omit from a list, although they are members. */
  leavesOut?: readonly string[]
  /** The delay before the response, in milliseconds. */
  delayMs?: number
  /** Sends the headers and half of the body, and the rest after this many milliseconds (`true`: never). */
  slowBody?: number | true
  /** Cuts the connection instead of handling the request. */
  reset?: boolean
  /** Handles the request, but cuts the connection instead of responding. So the request takes effect. */
  lost?: boolean
  /** Sends half of the JSON as if it were complete. `'cut'` ends the connection in the middle instead. */
  truncate?: boolean | 'cut'
  /** Sends the right body with this content type. */
  contentType?: string
}

/** The requests that a fault affects. */
export interface FaultOptions {
  /** The number of requests that fail. The default is 1 for `failNext`, and no limit for `failFor`. */
  times?: number
  /** Affects only requests with this kind of authorization. */
  auth?: Caller['kind']
  /** Affects only paths that contain this text, e.g. the ID of a member. */
  path?: string
}

/** The route that a fault affects. `*` means all except the pictures, which the platform serves from another host. */
export type FaultRoute = RouteName | '*'

interface Rule extends FaultOptions {
  route: FaultRoute
  fault: Fault
  left: number
  until: number
}

/** Creates the store of faults that tests have set. */
export function createFaults(clock: Clock) {
  let rules: Rule[] = []
  const add = (rule: Rule) => {
    rules.push(rule)
    return () => {
      rules = rules.filter((other) => other !== rule)
    }
  }
  const spent = (rule: Rule) => rule.left <= 0 || rule.until <= clock.now()

  return {
    /** Makes the next `times` requests to a route fail. Returns a function that removes the fault. */
    failNext: (route: FaultRoute, fault: Fault, options: FaultOptions = {}) =>
      add({ ...options, route, fault, left: options.times ?? 1, until: Number.POSITIVE_INFINITY }),
    /** Makes all requests to a route fail for `ms` milliseconds. */
    failFor: (route: FaultRoute, fault: Fault, ms: number, options: FaultOptions = {}) =>
      add({
        ...options,
        route,
        fault,
        left: options.times ?? Number.POSITIVE_INFINITY,
        until: clock.now() + ms,
      }),
    /** Removes all faults. */
    clearFaults: () => {
      rules = []
    },
    /** Returns the fault for a request, and counts it as used. If several match, the one that was added first wins. */
    take(route: RouteName, auth: Caller['kind'], path: string): Fault | undefined {
      if (rules.length === 0) return undefined
      rules = rules.filter((rule) => !spent(rule))
      const rule = rules.find(
        (candidate) =>
          (candidate.route === route || (candidate.route === '*' && route !== 'cdn')) &&
          (candidate.auth === undefined || candidate.auth === auth) &&
          (candidate.path === undefined || path.includes(candidate.path)),
      )
      if (rule) rule.left--
      return rule?.fault
    },
  }
}
