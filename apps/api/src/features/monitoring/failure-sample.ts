import type { NewFailure } from './store.ts'

/** So many failures are kept one by one before a flood becomes a sample: more than any honest mistake makes. */
const burst = 5_000
/** And so many a second after that: a flood that lasts a month must not fill the disk. */
const perSecond = 1

/**
 * Keeps rejected credentials until they are written. Of a flood it keeps a uniform sample (reservoir sampling,
 * Vitter's algorithm R): the first of each second would show who is early, not who is there.
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

  /** `make` is only called when the failure is kept. */
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

  /** What is kept, for writing. */
  take(): NewFailure[] {
    const taken = this.#failures
    const now = this.#now()
    const refill = ((now - this.#refilledAt) / 1_000) * perSecond
    this.#allowance = Math.min(burst, this.#allowance - taken.length + refill)
    this.#refilledAt = now
    this.#failures = []
    this.#seen = 0
    return taken
  }

  /** Keeps what could not be written, in front of what came since. */
  giveBack(failures: readonly NewFailure[]): void {
    this.#allowance = Math.min(burst, this.#allowance + failures.length)
    this.#failures = [...failures, ...this.#failures].slice(0, burst)
    this.#seen += failures.length
  }

  state() {
    return { kept: this.#failures.length, dropped: this.#dropped }
  }
}
