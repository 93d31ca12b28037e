/** The clocks of this machine. Neither decides on expiry: they measure durations. */
export interface Clock {
  /** Returns a monotonic time; stands still while a virtual machine is suspended. */
  monotonicMs(): number
  /** Returns the wall time; continues while a virtual machine is suspended, and jumps when it is set. */
  wallMs(): number
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
}

/** A moment by both clocks. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const momentOf = (clock: Clock): Moment => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
})
