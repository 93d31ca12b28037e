import type { Compiled } from '../json-schema/compile-schema.ts'

/** The number of compiled schemas in all: few, as each may be large. */
const maxKept = 4

/**
 * Keeps compiled schemas of many owners, by their texts. Above the limit, the owner with the most schemas loses the
 * least recently used one. So an owner that rotates through many drops only its own.
 */
export class KeptSchemas {
  /** Both in the order of their last use. */
  readonly #ofOwner = new Map<string, Map<string, Compiled>>()

  get(owner: string, text: string): Compiled | undefined {
    const compiled = this.#ofOwner.get(owner)?.get(text)
    if (compiled) this.keep(owner, text, compiled)
    return compiled
  }

  keep(owner: string, text: string, compiled: Compiled): void {
    const own = this.#ofOwner.get(owner) ?? new Map<string, Compiled>()
    own.delete(text)
    own.set(text, compiled)
    this.#ofOwner.delete(owner)
    this.#ofOwner.set(owner, own)
    if (this.#count() > maxKept) this.#dropOne()
  }

  #count(): number {
    let count = 0
    for (const own of this.#ofOwner.values()) count += own.size
    return count
  }

  #dropOne(): void {
    // If two owners have equally many, the least recently used one loses.
    const [owner, most] = [...this.#ofOwner].reduce((a, b) => (b[1].size > a[1].size ? b : a))
    for (const oldest of most.keys()) {
      most.delete(oldest)
      break
    }
    if (most.size === 0) this.#ofOwner.delete(owner)
  }
}
