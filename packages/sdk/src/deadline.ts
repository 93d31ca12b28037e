/** A signal for one call. Call `release` when the call has ended. */
export interface Deadline {
  readonly signal: AbortSignal
  /** True after the timeout has aborted the signal. */
  isOver(): boolean
  /** Restarts the timeout. */
  extend(): void
  release(): void
}

/**
 * Starts a signal that aborts after `timeoutMs` milliseconds, or with `outer`. Does not use `AbortSignal.any`, which
 * some edge runtimes lack.
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
 * Calls `setTimeout` without keeping the process alive. In browsers and edge runtimes, a timer is a number and keeps no
 * process alive.
 */
export function startTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: { unref?: () => unknown } & ReturnType<typeof setTimeout> = setTimeout(run, ms)
  timer.unref?.()
  return timer
}
