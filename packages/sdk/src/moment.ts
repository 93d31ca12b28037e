/**
 * A moment on two clocks. The monotonic clock is not affected if the machine's time is changed, but may stop while the
 * machine sleeps. The wall clock continues then.
 */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

/** Returns the present moment. */
export const moment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** Returns the moment `ms` milliseconds after another. */
export const plus = ({ monotonicMs, wallMs }: Moment, ms: number): Moment => ({
  monotonicMs: monotonicMs + ms,
  wallMs: wallMs + ms,
})

/** Returns true if a moment has passed on at least one of the clocks. A moment with `NaN` counts as passed. */
export const isPast = (then: Moment, now: Moment): boolean =>
  !(now.monotonicMs < then.monotonicMs && now.wallMs < then.wallMs)
