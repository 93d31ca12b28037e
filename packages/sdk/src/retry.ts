import type { startTimer } from './deadline.ts'
import type { RolecallError } from './rolecall-error.ts'

/** The maximum time between the first attempt and a retry, in milliseconds, because a user waits for the response. */
const maxElapsedMs = 3_000

/** The statuses after which a retry may succeed, from the service or from a proxy that cannot reach it. */
const retryableStatuses = new Set([429, 502, 503, 504])

/**
 * Returns the pause in milliseconds before a retry, or undefined if a retry cannot help. Honors `Retry-After`. Without
 * it, pauses grow. All pauses are partly random, so that clients do not retry at the same time.
 */
export function pauseBeforeRetry(
  error: RolecallError,
  attempt: number,
  elapsedMs: number,
): number | undefined {
  if (error.code !== 'NETWORK_ERROR' && !retryableStatuses.has(error.status ?? 0)) return undefined
  const leastMs = error.retryAfterSec === undefined ? 100 * 4 ** attempt : error.retryAfterSec * 1_000
  const pauseMs = leastMs * (1 + Math.random() / 4)
  return elapsedMs + pauseMs <= maxElapsedMs ? pauseMs : undefined
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
