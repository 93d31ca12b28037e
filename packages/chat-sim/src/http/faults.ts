import type { Clock } from '../clock.ts'
import type { Caller } from './caller.ts'
import type { RouteName } from './route-names.ts'

/** A fault to simulate. Parts can be combined: `{ delayMs: 500, status: 503 }` is a late refusal. */
export interface Fault {
  /** The status to send instead of handling the request. 429 and 5xx have their own shapes. */
  status?: number
  /** JSON error code and message beside `status`. */
  code?: number
  message?: string
  /** 429: seconds to wait, in the header and the body. */
  retryAfterSec?: number
  scope?: 'user' | 'global' | 'shared'
  global?: boolean
  /** 429 as from the network edge: no rate-limit headers, no Retry-After unless `retryAfterSec`. */
  headerless?: boolean
  /** 429 with the plain body `error code: 1015`, as from the network edge. */
  plain1015?: boolean
  /** An HTML page beside `status`, as from a proxy in front of the API. */
  html?: boolean
  /** 200 with an HTML page. */
  html200?: boolean
  /** IDs of members to omit from a list, although they are members. */
  leavesOut?: readonly string[]
  /** The delay before the response, in milliseconds. */
  delayMs?: number
  /** Sends the headers and half of the body, and the rest after this many milliseconds (`true`: never). */
  slowBody?: number | true
  /** Cuts the connection instead of handling the request. */
  reset?: boolean
  /** Handles the request, then cuts the connection: it takes effect without a response. */
  lost?: boolean
  /** Sends half of the JSON, as if complete. `'cut'`: the connection ends in the middle. */
  truncate?: boolean | 'cut'
  /** The wrong content type for the right body. */
  contentType?: string
}

export interface FaultOptions {
  /** The number of requests; `failNext` defaults to 1. */
  times?: number
  /** Only requests with this kind of authorization. */
  auth?: Caller['kind']
  /** Only paths that contain this, e.g. one member's ID. */
  path?: string
}

/** `*` matches everything except the pictures, which come from another host on the platform. */
export type FaultRoute = RouteName | '*'

interface Rule extends FaultOptions {
  route: FaultRoute
  fault: Fault
  left: number
  until: number
}

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
    /** Lets the next `times` requests to a route fail. Returns a function that removes the fault. */
    failNext: (route: FaultRoute, fault: Fault, options: FaultOptions = {}) =>
      add({ ...options, route, fault, left: options.times ?? 1, until: Number.POSITIVE_INFINITY }),
    /** Lets all requests to a route fail for `ms` milliseconds. */
    failFor: (route: FaultRoute, fault: Fault, ms: number, options: FaultOptions = {}) =>
      add({
        ...options,
        route,
        fault,
        left: options.times ?? Number.POSITIVE_INFINITY,
        until: clock.now() + ms,
      }),
    clearFaults: () => {
      rules = []
    },
    /** Returns the fault for this request, counted as used. Earlier rules win. */
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
