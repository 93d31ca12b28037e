/** The clocks of this machine. A holder ends its lease by them. The database's clock decides what else has expired. */
export interface Clock {
  /** Returns a monotonic time. It may stand still while a virtual machine is suspended. */
  monotonicMs(): number
  /** Returns the wall time. It continues while a virtual machine is suspended, and jumps when it is set. */
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
