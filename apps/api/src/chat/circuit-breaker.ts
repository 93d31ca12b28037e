import type { Priority } from './chat-platform.ts'

/** For this time after a pause, only sign-ins may be sent as a test. Then background work may be, too. */
const loginsFirstMs = 5_000
/** A test without a result delays the next one by at most this time. */
const maxProbeMs = 15_000

/** Determines when a breaker opens, and for how long. */
export interface BreakerOptions {
  /** The number of refusals within `windowMs` that opens the breaker. */
  readonly threshold: number
  readonly windowMs: number
  /** The first pause, unless the platform asks for another one. It is doubled whenever a test is refused. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/**
 * Holds back requests that the platform would refuse, because it counts every refusal, and bans an IP address that has
 * too many. After a pause, one request is sent as a test.
 */
export interface CircuitBreaker {
  /** Returns true if a request may be sent. While the breaker is open, only one test at a time may. */
  allows(priority: Priority): boolean
  /** Records that a request is sent. While the breaker is open, this request is the test. */
  recordRequest(): void
  /** Records a refusal. `retryAfterMs` is the pause that the platform asked for. */
  recordRefusal(retryAfterMs?: number): void
  /** Opens the breaker immediately, for a reason that was counted elsewhere. */
  trip(): void
  /** Records any other response. `clearsReason` is true if it shows that the reason for the refusals is gone. */
  recordResponse(clearsReason: boolean): void
  /** Returns the time until the next test in milliseconds, or undefined while the breaker is closed. */
  openForMs(): number | undefined
}

/** Creates a closed breaker. `now` is a monotonic clock in milliseconds. */
export function createCircuitBreaker(options: BreakerOptions, now: () => number): CircuitBreaker {
  let refusals: number[] = []
  let openUntil: number | undefined
  let pauseMs = options.firstPauseMs
  let probeSentAt: number | undefined

  const open = (requestedMs = pauseMs) => {
    pauseMs = Math.min(requestedMs, options.maxPauseMs)
    openUntil = now() + pauseMs
    probeSentAt = undefined
    refusals = []
  }
  return {
    allows(priority) {
      if (openUntil === undefined) return true
      if (probeSentAt !== undefined && now() - probeSentAt < maxProbeMs) return false
      return now() >= openUntil + (priority === 'background' ? loginsFirstMs : 0)
    },
    recordRequest() {
      if (openUntil !== undefined) probeSentAt = now()
    },
    recordRefusal(retryAfterMs) {
      if (openUntil !== undefined) {
        // Refusals of requests that were sent before the breaker opened are ignored.
        if (probeSentAt !== undefined) open(Math.max(pauseMs * 2, retryAfterMs ?? 0))
        return
      }
      refusals = refusals.filter((at) => at > now() - options.windowMs)
      refusals.push(now())
      if (refusals.length >= options.threshold) open(retryAfterMs)
    },
    trip() {
      if (openUntil === undefined) open()
    },
    recordResponse(clearsReason) {
      if (openUntil === undefined || probeSentAt === undefined) return
      if (!clearsReason) return open()
      openUntil = undefined
      probeSentAt = undefined
      pauseMs = options.firstPauseMs
    },
    openForMs: () => (openUntil === undefined ? undefined : Math.max(0, openUntil - now())),
  }
}
