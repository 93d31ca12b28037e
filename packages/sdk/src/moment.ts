/** A moment on two clocks: a monotonic clock, and the wall clock, which continues while the machine sleeps. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const moment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

export const plus = ({ monotonicMs, wallMs }: Moment, ms: number): Moment => ({
  monotonicMs: monotonicMs + ms,
  wallMs: wallMs + ms,
})

/** Returns true if a moment has passed on either clock. An invalid moment counts as passed. */
export const isPast = (then: Moment, now: Moment): boolean =>
  !(now.monotonicMs < then.monotonicMs && now.wallMs < then.wallMs)
