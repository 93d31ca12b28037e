import type { NewFailure } from './store.ts'

/** The number of failures that are all recorded before sampling starts. An honest mistake causes fewer. */
const burst = 5_000
/** The number of failures a second that are recorded after that, so that a flood of a month cannot fill the disk. */
const perSecond = 1

/**
 * Buffers the records of rejected credentials until they are written. During a flood, it keeps a uniform sample
 * (reservoir sampling, algorithm R by Vitter), because the first failures of each interval would not represent all
 * clients.
 */
export class FailureSample {
  #failures: NewFailure[] = []
  #seen = 0
  #allowance = burst
  #refilledAt: number
  #dropped = 0
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Adds a failure. Calls `make` only if the failure is part of the sample. */
  add(make: () => NewFailure): void {
    this.#seen += 1
    if (this.#failures.length < Math.floor(this.#allowance)) {
      this.#failures.push(make())
      return
    }
    this.#dropped += 1
    const place = Math.floor(Math.random() * this.#seen)
    if (place < this.#failures.length) this.#failures[place] = make()
  }

  /** Removes and returns the sample, for writing. */
  drain(): NewFailure[] {
    const taken = this.#failures
    const now = this.#now()
    const refill = ((now - this.#refilledAt) / 1_000) * perSecond
    this.#allowance = Math.min(burst, this.#allowance - taken.length + refill)
    this.#refilledAt = now
    this.#failures = []
    this.#seen = 0
    return taken
  }

  /** Puts back failures that could not be written. They precede those that have arrived since. */
  restore(failures: readonly NewFailure[]): void {
    this.#allowance = Math.min(burst, this.#allowance + failures.length)
    this.#failures = [...failures, ...this.#failures].slice(0, burst)
    this.#seen += failures.length
  }

  /** Returns the number of buffered failures, and the number that the sample has dropped since the start. */
  state() {
    return { kept: this.#failures.length, dropped: this.#dropped }
  }
}
