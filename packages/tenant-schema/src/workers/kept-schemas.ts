import type { Compiled } from '../json-schema/compile-schema.ts'

/** The maximum number of compiled schemas. It is small, because each may be large. */
const maxKept = 4

/**
 * Caches compiled schemas of all owners, by their texts. Above the limit, the owner with the most schemas loses its
 * least recently used one. So an owner that uses many schemas in turn only evicts its own.
 */
export class KeptSchemas {
  /** The owners, and the schemas of each owner, in the order of their last use. */
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
    // If owners have equally many schemas, the owner that was used least recently loses one.
    const [owner, most] = [...this.#ofOwner].reduce((a, b) => (b[1].size > a[1].size ? b : a))
    for (const oldest of most.keys()) {
      most.delete(oldest)
      break
    }
    if (most.size === 0) this.#ofOwner.delete(owner)
  }
}
