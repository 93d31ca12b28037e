/** The clocks of this machine. Neither decides what has expired: they measure how long something takes. */
export interface Clock {
  /** Never jumps; stands still while a virtual machine is suspended. */
  monotonicMs(): number
  /** Goes on while a virtual machine is suspended; jumps when it is set. */
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
