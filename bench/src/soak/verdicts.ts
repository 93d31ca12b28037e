import type { Answer } from './answer.ts'

/** The effects of a fault that clients may see. Every other effect is a defect. */
export interface Allowance {
  /** Missing responses are allowed from this instance, or from any instance (`true`). */
  readonly lost?: number | true
  /** The allowed error codes of responses with 503. */
  readonly codes?: readonly string[]
  /** True if sign-ins may end at the redirect URI with `temporarily_unavailable` or `server_error`. */
  readonly logins?: boolean
}

interface Window {
  readonly fault: string
  readonly allows: Allowance
  readonly beganAt: number
  endedAt: number
  lastFailureAt: number
  failures: number
}

/** A request and its response. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly answer: Answer
  readonly ms: number
}

/**
 * The maximum time, in milliseconds, for which the effects of a fault may last after its end. The guarantee is two
 * seconds. This also allows for a busy machine.
 */
const graceMs = 5_000
/** The same for sign-ins. The circuit breakers for the platform take longer to recover after each failure. */
const loginGraceMs = 60_000

/**
 * Creates the judge of all responses. Each is as promised, or explained by a fault, or unexplained, which is a defect.
 */
export function createVerdicts(now: () => number = () => performance.now()) {
  const windows: Window[] = []
  const wrong: string[] = []
  const unexplained: string[] = []
  const counts = { requests: 0, explained: 0 }
  const perKind = new Map<string, { requests: number; slowestMs: number }>()
  const startedAt = now()
  const isNear = ({ beganAt, endedAt }: Window, at: number, grace: number) =>
    at >= beganAt && at <= endedAt + grace
  /** Returns the newest fault that allows an effect at a moment, if there is one. */
  const explain = (at: number, isAllowed: (allows: Allowance) => boolean, grace = graceMs) =>
    windows.findLast((one) => isNear(one, at, grace) && isAllowed(one.allows))
  const told = (text: string) =>
    `${((now() - startedAt) / 1_000).toFixed(1)} s, ${windows.at(-1)?.fault ?? 'no fault yet'}: ${text}`

  const failed = (text: string, isAllowed: (allows: Allowance) => boolean, grace?: number) => {
    const found = explain(now(), isAllowed, grace)
    if (found) {
      counts.explained += 1
      found.failures += 1
      found.lastFailureAt = now()
    } else unexplained.push(told(text))
  }

  return {
    counts,
    wrong,
    unexplained,
    /** Starts a fault, and returns a function that ends it. */
    begin(fault: string, allows: Allowance): () => void {
      const window: Window = {
        fault,
        allows,
        beganAt: now(),
        endedAt: Number.POSITIVE_INFINITY,
        lastFailureAt: 0,
        failures: 0,
      }
      windows.push(window)
      return () => {
        window.endedAt = now()
      }
    },
    /** Records a broken promise that no fault can explain. */
    broken(text: string): void {
      wrong.push(told(text))
    },
    /** Records a sign-in that ended without a code. */
    loginRefused(reason: string): void {
      failed(`sign-in: ${reason}`, ({ logins }) => logins === true, loginGraceMs)
    },
    answered({ method, path, answer, ms }: Seen): void {
      counts.requests += 1
      const kind = `${method} ${path.split('?')[0]?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{17,}|[\w-]{40,}/g, '{id}')}`
      const found = perKind.get(kind) ?? { requests: 0, slowestMs: 0 }
      perKind.set(kind, { requests: found.requests + 1, slowestMs: Math.max(found.slowestMs, ms) })
      const { status, code, at } = answer
      if (status === 0) {
        failed(
          `${kind} got no response from instance ${at}: ${code}`,
          ({ lost }) => lost === true || lost === at,
        )
      } else if (status === 503) {
        if (!answer.headers.has('retry-after')) wrong.push(told(`${kind} 503 without Retry-After`))
        failed(`${kind} returned 503 ${code}`, ({ codes }) => codes?.includes(code ?? '') ?? false)
      } else if (status >= 500) wrong.push(told(`${kind} returned ${status} ${code}`))
    },
    /**
     * Returns true if there was no fault in the last `ms` milliseconds. Role changes and departures must then be
     * visible in time.
     */
    isCalm(ms: number): boolean {
      const at = now()
      return !windows.some((one) => one.beganAt <= at && one.endedAt > at - ms)
    },
    /** Returns the effects of the newest fault. */
    lastFault() {
      const last = windows.at(-1)
      if (!last) throw new Error('There was no fault.')
      const { failures, beganAt, endedAt, lastFailureAt } = last
      return { failures, lastedMs: endedAt - beganAt, recoveryMs: Math.max(0, lastFailureAt - endedAt) }
    },
    /**
     * Returns, for each kind of fault, how often it happened, the failures that it explains, and the longest time from
     * its end to its last effect.
     */
    faults() {
      const byName = new Map<
        string,
        { times: number; failures: number; recoveryMs: number; lastedMs: number }
      >()
      for (const { fault, failures, beganAt, endedAt, lastFailureAt } of windows) {
        const so = byName.get(fault) ?? { times: 0, failures: 0, recoveryMs: 0, lastedMs: 0 }
        byName.set(fault, {
          times: so.times + 1,
          failures: so.failures + failures,
          recoveryMs: Math.max(so.recoveryMs, lastFailureAt - endedAt),
          lastedMs: Math.max(so.lastedMs, endedAt - beganAt),
        })
      }
      return byName
    },
    perKind,
  }
}

export type Verdicts = ReturnType<typeof createVerdicts>
