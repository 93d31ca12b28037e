/** A signal for one call; `release` it when the call has ended. */
export interface Deadline {
  readonly signal: AbortSignal
  /** True once it was the time that ended it. */
  isOver(): boolean
  /** The time begins again. */
  extend(): void
  release(): void
}

/** Ends after so long, or with `outer`. Not by `AbortSignal.any`, which not every edge runtime has. */
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

/** `setTimeout` that keeps no process alive. In browsers and edge runtimes a timer is a number and keeps none. */
export function startTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer: { unref?: () => unknown } & ReturnType<typeof setTimeout> = setTimeout(run, ms)
  timer.unref?.()
  return timer
}
