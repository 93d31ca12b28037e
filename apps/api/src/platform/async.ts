/** Returns the result, or `otherwise` if it takes longer than `ms` or fails. */
export async function within<T>(answer: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise).unref()
  })
  try {
    return await Promise.race([answer.catch(() => otherwise), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Resolves when the signal is aborted, or immediately if it already is, because a listener would then never run.
 */
export const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/** Thrown by `withTimeout` after the deadline. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * Returns the promise's outcome, or rejects with a LateError after `ms`.
 *
 * Before it rejects, lets the event loop read its sockets once more. If the loop was blocked beyond the deadline, its
 * timers run before it reads responses that arrived in time.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new LateError(`no answer within ${ms} ms`))
    const timer = setTimeout(() => setImmediate(late), ms)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/**
 * Makes a function run once at a time. A call during a run returns the result of that run, regardless of its own
 * arguments.
 */
export function singleFlight<A extends unknown[], T>(
  run: (...asked: A) => Promise<T>,
): (...asked: A) => Promise<T> {
  let running: Promise<T> | undefined
  return (...asked) => {
    running ??= run(...asked).finally(() => {
      running = undefined
    })
    return running
  }
}

/**
 * Returns the pause after a number of consecutive failures: `firstMs` after the first, then doubled each time, up to
 * `maxMs`. A quarter of the pause is random, so that simultaneous failures do not retry together.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return whole * (0.75 + Math.random() / 4)
}
