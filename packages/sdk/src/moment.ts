/** A moment on two clocks: one that never jumps, and one that goes on while the machine sleeps. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const moment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

export const plus = ({ monotonicMs, wallMs }: Moment, ms: number): Moment => ({
  monotonicMs: monotonicMs + ms,
  wallMs: wallMs + ms,
})

/** Whether a moment has come, by whichever clock says so first. One that is no moment at all has. */
export const isPast = (then: Moment, now: Moment): boolean =>
  !(now.monotonicMs < then.monotonicMs && now.wallMs < then.wallMs)
