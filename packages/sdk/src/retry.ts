import type { startTimer } from './deadline.ts'
import type { RolecallError } from './rolecall-error.ts'

/** No retry starts later than this after the first attempt, because a user waits for the response. */
const withinMs = 3_000

/** Statuses with which a proxy reports an unreachable service, and those of the service itself. */
const passing = new Set([429, 502, 503, 504])

/**
 * Returns the pause in milliseconds before a call is retried, or undefined if a retry cannot help: a refusal is final.
 * Honors `Retry-After`; without it, pauses grow. All pauses are partly random, so that clients do not retry at the same
 * time.
 */
export function pauseBeforeRetry(
  error: RolecallError,
  attempt: number,
  elapsedMs: number,
): number | undefined {
  if (error.code !== 'NETWORK_ERROR' && !passing.has(error.status ?? 0)) return undefined
  const shareMs = error.retryAfterSec === undefined ? 100 * 4 ** attempt : error.retryAfterSec * 1_000
  const pauseMs = shareMs * (1 + Math.random() / 4)
  return elapsedMs + pauseMs <= withinMs ? pauseMs : undefined
}

/**
 * Resolves after `ms` milliseconds, or when the signal aborts. A timer of `startTimer` keeps no process alive
 * meanwhile.
 */
export const pause = (ms: number, signal: AbortSignal, start: typeof startTimer = setTimeout) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = start(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
