/** A signal that limits the time of one call. Call `release` when the call has ended, also after a failure. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Returns true if the timeout aborted the signal, and false if the caller did. */
  isOver(): boolean
  /** Restarts the timeout. */
  extend(): void
  /** Stops the timeout, and the listener on the caller's signal. */
  release(): void
}

/**
 * Starts a signal that aborts after `timeoutMs` milliseconds, or when the caller's signal `outer` aborts. Does not use
 * `AbortSignal.any`, which some edge runtimes lack.
 */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let isOver = false
  const start = () =>
    startTimer(() => {
      isOver = true
      controller.abort()
    }, timeoutMs)
  let timer = start()
  const end = () => controller.abort(outer?.reason)
  if (outer?.aborted) end()
  else outer?.addEventListener('abort', end)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    extend() {
      clearTimeout(timer)
      timer = start()
    },
    release() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', end)
    },
  }
}

/**
 * Calls `setTimeout`, so that the timer does not keep the process alive. In browsers and edge runtimes, a timer is a
 * number without `unref`, and never keeps a process alive.
 */
export function startTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: { unref?: () => unknown } & ReturnType<typeof setTimeout> = setTimeout(run, ms)
  timer.unref?.()
  return timer
}
