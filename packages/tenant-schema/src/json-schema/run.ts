import { limits } from './limits.ts'
import type { SchemaProblem } from './problem.ts'

/** Thrown when compiling or validating has done more work than it may. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly'
}

/** Thrown when more errors are known than one answer can report. */
export class EnoughErrors extends Error {
  override readonly name = 'EnoughErrors'
}

/** Cost of reporting one problem, in addition to its check: an object, a string and their collection. */
const errorCost = 40

/** One validation under way: what it may still spend, where in the value it is, and what is wrong so far. */
export class Run {
  readonly errors: SchemaProblem[] = []
  readonly path: (string | number)[] = []
  /** Above zero while only the outcome counts: within `anyOf`, `not`, `if`, `contains`. */
  quiet = 0
  #left: number
  #calls = 0
  #errorCharacters = 0

  constructor(work: number) {
    this.#left = work
  }

  /** @throws TooCostly */
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

  /** Notes what is wrong at this place, or at a key of it; always false, so that a check can return it. */
  fail(code: string, message: string, key?: string): false {
    if (this.quiet > 0) return false
    const isEnough = this.errors.length >= limits.errors || this.#errorCharacters >= limits.errorCharacters
    if (isEnough) throw new EnoughErrors()
    const path = pointer(key === undefined ? this.path : [...this.path, key])
    const characters = path.length + message.length
    this.#errorCharacters += characters
    this.spend(errorCost + characters)
    this.errors.push({ path, message, code })
    return false
  }
}

/** Keys longer than this are cut where an error names them. */
const maxKey = 100

/** RFC 6901. */
export const pointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).slice(0, maxKey).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
