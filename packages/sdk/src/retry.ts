import type { startTimer } from './deadline.ts'
import type { RolecallError } from './rolecall-error.ts'

/** The maximum time between the first attempt and a retry, in milliseconds, because a user waits for the response. */
const maxElapsedMs = 3_000

/** The statuses after which a retry may succeed. The service sends them, or a proxy that cannot reach the service. */
const retryableStatuses = new Set([429, 502, 503, 504])

/**
 * Returns the pause in milliseconds before a retry, or undefined if a retry cannot help or would start too late.
 *
 * The pause is the `Retry-After` of the response. Without that header, it is 100 ms, and four times longer after each
 * attempt. Up to a quarter is added at random, so that clients do not retry at the same time.
 *
 * @param attempt the number of attempts before the failed one
 * @param elapsedMs the time since the first attempt began
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

/** Resolves after `ms` milliseconds, or when the signal aborts. Pass `startTimer` to let the process end meanwhile. */
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
