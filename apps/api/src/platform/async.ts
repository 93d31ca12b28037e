/** Waits for a promise, but at most `ms` milliseconds. Returns `otherwise` if the promise takes longer or rejects. */
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

/** Waits until the signal is aborted. Resolves immediately if it already is: a listener would then never be called. */
export const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/** The error with which `withTimeout` rejects. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * Waits for a promise, but at most `ms` milliseconds, and then rejects with a `LateError`.
 *
 * After the time is up, lets the event loop read its sockets once more. If the event loop was blocked, its timers run
 * before it reads responses that arrived in time.
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
 * Wraps a function so that only one call runs at a time. A call during a run gets the result of that run, even if its
 * arguments are different.
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
 * Returns the pause in milliseconds after a number of failures in a row: `firstMs` after the first, and twice as long
 * after each further one, up to `maxMs`. Up to a quarter is subtracted at random, so that callers that failed together
 * do not retry together.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return whole * (0.75 + Math.random() / 4)
}
