/**
 * A cached value that several sessions, keys, or tokens share. When the value changes in the database, `isVoid` becomes
 * true, and all of them are invalid.
 */
export interface Fact<V> {
  readonly id: string
  value: V
  isVoid: boolean
  /** The number of cached sessions, keys, and tokens that use this fact. */
  users: number
}

/** Caches facts of one kind by ID, and counts their users. A fact without users is evicted. */
export class Facts<V> {
  readonly #facts = new Map<string, Fact<V>>()

  get(id: string): Fact<V> | undefined {
    return this.#facts.get(id)
  }

  values(): Iterable<Fact<V>> {
    return this.#facts.values()
  }

  /** Returns the cached fact with this ID. If there is none, caches `value`. Counts one more user. */
  use(id: string, value: V): Fact<V> {
    const cached = this.#facts.get(id)
    if (cached) {
      cached.users += 1
      return cached
    }
    const fact = { id, value, isVoid: false, users: 1 }
    this.#facts.set(id, fact)
    return fact
  }

  /** Counts one user less. */
  release(fact: Fact<V>): void {
    fact.users -= 1
    if (fact.users === 0 && !fact.isVoid) this.#facts.delete(fact.id)
  }

  /** Marks a fact as invalid for all its users, and evicts it. */
  void(id: string): void {
    const fact = this.#facts.get(id)
    if (!fact) return
    fact.isVoid = true
    this.#facts.delete(id)
  }

  voidAll(): void {
    for (const fact of this.#facts.values()) fact.isVoid = true
    this.#facts.clear()
  }
}

/** Creates a fact for one session that is not cached. */
export const ownFact = <V>(id: string, value: V): Fact<V> => ({ id, value, isVoid: false, users: 1 })
