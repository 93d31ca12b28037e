import type { Priority } from './chat-platform.ts'

/** The time after a pause in which only sign-ins may probe. After it, background work may, too. */
const loginsFirstMs = 5_000
/** The time after which a probe without a result no longer delays the next one. */
const maxProbeMs = 15_000

export interface BreakerOptions {
  /** The number of refusals within the window that opens it. */
  readonly threshold: number
  readonly windowMs: number
  /** The first pause, unless the platform requests another; each probe that fails doubles it. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/**
 * Prevents requests that would be refused, because the platform counts every refusal, and bans the address after too
 * many.
 */
export interface CircuitBreaker {
  /** Returns true if a request may be sent. While the breaker is open, only an occasional probe may be sent. */
  admits(priority: Priority): boolean
  /** Records that a request is sent. While the breaker is open, that request is the probe. */
  began(): void
  /** Records a refusal. `retryAfterMs` is the pause that the platform requested. */
  refused(retryAfterMs?: number): void
  /** Opens the breaker now, for a reason that others have counted. */
  trip(): void
  /** Records any other answer. `isProof` is true if the answer shows that the reason no longer exists. */
  answered(isProof: boolean): void
  /** Returns the milliseconds until the next attempt, or undefined while the breaker is closed. */
  openForMs(): number | undefined
}

export function createCircuitBreaker(options: BreakerOptions, now: () => number): CircuitBreaker {
  let refusals: number[] = []
  let openUntil: number | undefined
  let pauseMs = options.firstPauseMs
  let probedAt: number | undefined

  const open = (askedMs = pauseMs) => {
    pauseMs = Math.min(askedMs, options.maxPauseMs)
    openUntil = now() + pauseMs
    probedAt = undefined
    refusals = []
  }
  return {
    admits(priority) {
      if (openUntil === undefined) return true
      if (probedAt !== undefined && now() - probedAt < maxProbeMs) return false
      return now() >= openUntil + (priority === 'background' ? loginsFirstMs : 0)
    },
    began() {
      if (openUntil !== undefined) probedAt = now()
    },
    refused(retryAfterMs) {
      if (openUntil !== undefined) {
        // Requests that were in progress when it opened add no information.
        if (probedAt !== undefined) open(Math.max(pauseMs * 2, retryAfterMs ?? 0))
        return
      }
      refusals = refusals.filter((at) => at > now() - options.windowMs)
      refusals.push(now())
      if (refusals.length >= options.threshold) open(retryAfterMs)
    },
    trip() {
      if (openUntil === undefined) open()
    },
    answered(isProof) {
      if (openUntil === undefined || probedAt === undefined) return
      if (!isProof) return open()
      openUntil = undefined
      probedAt = undefined
      pauseMs = options.firstPauseMs
    },
    openForMs: () => (openUntil === undefined ? undefined : Math.max(0, openUntil - now())),
  }
}
