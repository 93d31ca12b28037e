/**
 * The clocks of this machine. The holder of a lease uses them only to measure how long the lease is valid. Every other
 * expiry is decided by the database's clock.
 */
export interface Clock {
  /** Returns a time that never jumps. It may stop while a virtual machine is suspended. */
  monotonicMs(): number
  /** Returns the time of day. It continues while a virtual machine is suspended, but jumps when the clock is set. */
  wallMs(): number
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
}

/** One moment, measured by both clocks. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

/** Returns the current moment. */
export const momentOf = (clock: Clock): Moment => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
})
