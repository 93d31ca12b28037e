/**
 * A fact: a cached value, such as a member or a server, that several sessions, keys, or tokens share. When the value
 * changes in the database, `isInvalid` becomes true, and all of them are invalid.
 */
export interface Fact<V> {
  readonly id: string
  value: V
  isInvalid: boolean
  /** The number of cached sessions, keys, and tokens that use this fact. */
  users: number
}

/** Caches the facts of one kind by ID, and counts their users. A fact without users is evicted. */
export class Facts<V> {
  readonly #facts = new Map<string, Fact<V>>()

  get(id: string): Fact<V> | undefined {
    return this.#facts.get(id)
  }

  values(): Iterable<Fact<V>> {
    return this.#facts.values()
  }

  /** Returns the cached fact with this ID, or caches `value` as a new one. Adds one to the number of its users. */
  use(id: string, value: V): Fact<V> {
    const cached = this.#facts.get(id)
    if (cached) {
      cached.users += 1
      return cached
    }
    const fact = { id, value, isInvalid: false, users: 1 }
    this.#facts.set(id, fact)
    return fact
  }

  /** Subtracts one from the number of users. Evicts the fact if none is left. */
  release(fact: Fact<V>): void {
    fact.users -= 1
    if (fact.users === 0 && !fact.isInvalid) this.#facts.delete(fact.id)
  }

  /** Marks a fact as invalid for all its users, and evicts it. */
  invalidate(id: string): void {
    const fact = this.#facts.get(id)
    if (!fact) return
    fact.isInvalid = true
    this.#facts.delete(id)
  }

  invalidateAll(): void {
    for (const fact of this.#facts.values()) fact.isInvalid = true
    this.#facts.clear()
  }
}

/** Creates a fact that is not cached, for a single session. */
export const createUnsharedFact = <V>(id: string, value: V): Fact<V> => ({
  id,
  value,
  isInvalid: false,
  users: 1,
})
