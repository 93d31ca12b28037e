import type { Priority } from './chat-platform.ts'

/** After a pause a login may try first; background work only when none has come for so long. */
const loginsFirstMs = 5_000
/** A probe that nobody heard of again does not keep the next one waiting for longer. */
const maxProbeMs = 15_000

export interface BreakerOptions {
  /** So many refusals within the window open it. */
  readonly threshold: number
  readonly windowMs: number
  /** The first pause, unless the platform asks for another; each probe that fails doubles it. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
}

/** Keeps us from asking what is refused: every refusal is counted, and too many ban the whole address. */
export interface CircuitBreaker {
  /** Whether a request may go; while it is open, one in a while finds out whether it is over. */
  admits(priority: Priority): boolean
  /** A request goes: while it is open, that is the probe. */
  began(): void
  /** `retryAfterMs`: the pause that the platform asked for. */
  refused(retryAfterMs?: number): void
  /** Opens it now, for a reason that others have counted. */
  trip(): void
  /** Answered in any other way; `isProof` when that says that the reason is gone. */
  answered(isProof: boolean): void
  /** Milliseconds until it is tried again, or undefined while it is closed. */
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
        // Requests that were under way when it opened say nothing new.
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
