import { limits } from './limits.ts'
import type { SchemaProblem } from './problem.ts'

/** Thrown if compiling or validating exceeds its budget of work. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly'
}

/** Thrown if there are more errors than one response can report. */
export class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors'
}

/** The cost of reporting one problem, in addition to the cost of the check that found it. */
const errorCost = 40

/** One validation: its remaining budget, its current place in the value, and its errors so far. */
export class Run {
  readonly errors: SchemaProblem[] = []
  readonly path: (string | number)[] = []
  /**
   * Above zero while only the result counts, and errors are not collected: within `anyOf`, `not`, `if`, and `contains`.
   */
  quiet = 0
  #left: number
  #calls = 0
  #errorCharacters = 0

  constructor(work: number) {
    this.#left = work
  }

  /** Spends work from the budget. @throws TooCostly if the budget is used up */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new TooCostly()
  }

  enter(): void {
    this.#calls += 1
    if (this.#calls > limits.calls) throw new TooCostly()
  }

  leave(): void {
    this.#calls -= 1
  }

  /**
   * Reports a problem at the current place, or at a key of it. Always returns false, so that a check can return that.
   */
  fail(code: string, message: string, key?: string): false {
    if (this.quiet > 0) return false
    const isEnough = this.errors.length >= limits.errors || this.#errorCharacters >= limits.errorCharacters
    if (isEnough) throw new TooManyErrors()
    const path = pointer(key === undefined ? this.path : [...this.path, key])
    const characters = path.length + message.length
    this.#errorCharacters += characters
    this.spend(errorCost + characters)
    this.errors.push({ path, message, code })
    return false
  }
}

/** The maximum length of a key in the path of an error. Longer keys are shortened. */
const maxKey = 100

/** Returns a JSON Pointer (RFC 6901). */
export const pointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).slice(0, maxKey).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
