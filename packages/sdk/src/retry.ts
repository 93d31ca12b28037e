import type { startTimer } from './deadline.ts'
import type { RolecallError } from './rolecall-error.ts'

/** Nothing is sent again later than this after the first time: somebody waits for the answer. */
const withinMs = 3_000

/** What a proxy answers for a service that it cannot reach, besides what the service answers itself. */
const passing = new Set([429, 502, 503, 504])

/**
 * How long to wait before a call is sent again, or undefined where it is not worth it: what was refused is refused
 * again. `Retry-After` is honoured; without one pauses grow. All are spread, so that clients do not come back at once.
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

/** Resolves after so long, or when the signal ends. What is started by `startTimer` keeps no process alive meanwhile. */
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
