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

/** How long ago a moment was, at most: by whichever clock says more. */
export const msSince = (then: Moment): number =>
  Math.max(performance.now() - then.monotonicMs, Date.now() - then.wallMs)
