/** The answer, or `otherwise` when it takes longer than `ms` or fails. */
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

/** Resolves when the signal is aborted; at once if it is already, for a listener that is added later would never be called. */
export const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))

/** No answer within the deadline. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * The promise's outcome, or a LateError after `ms`.
 *
 * The refusal is put off until the event loop has read its sockets once more: after it was blocked for longer
 * than the deadline, timers run before the answers that have long arrived, and who was asked is not to blame.
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

/** Runs once at a time: whoever asks while it runs gets the outcome of that run, whatever their own arguments are. */
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
 * How long to wait after so many failures in a row: `firstMs` after the first, doubling, up to `maxMs`. A quarter of it
 * is chance, so that what failed together does not come back together.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return whole * (0.75 + Math.random() / 4)
}
