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
 * Resolves when the signal is aborted; at once if it already is, because a listener that is added later would never
 * run.
 */
export const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/** No answer within the deadline. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * Returns the promise's outcome, or rejects with a LateError after `ms`.
 *
 * The rejection waits until the event loop has read its sockets once more: after the loop was blocked beyond the
 * deadline, timers run before answers that arrived in time, and the other side is not to blame.
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

/** Runs once at a time: a call during a run returns the outcome of that run, regardless of its own arguments. */
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
 * Returns the wait after so many failures in a row: `firstMs` after the first, doubling, up to `maxMs`. A quarter of
 * it is random, so that simultaneous failures do not retry together.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return whole * (0.75 + Math.random() / 4)
}
