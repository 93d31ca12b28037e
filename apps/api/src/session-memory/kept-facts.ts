/** A fact that several responses contain. Once it is void, so is every response that contains it. */
export interface Fact<V> {
  readonly id: string
  value: V
  isVoid: boolean
  /** The number of cached sessions and keys that use it. */
  users: number
}

/** A cache of facts of one kind, which holds a fact while it is used. */
export class Facts<V> {
  readonly #kept = new Map<string, Fact<V>>()

  get(id: string): Fact<V> | undefined {
    return this.#kept.get(id)
  }

  values(): Iterable<Fact<V>> {
    return this.#kept.values()
  }

  /** Returns the cached fact, or caches this one. */
  use(id: string, value: V): Fact<V> {
    const known = this.#kept.get(id)
    if (known) {
      known.users += 1
      return known
    }
    const fact = { id, value, isVoid: false, users: 1 }
    this.#kept.set(id, fact)
    return fact
  }

  release(fact: Fact<V>): void {
    fact.users -= 1
    if (fact.users === 0 && !fact.isVoid) this.#kept.delete(fact.id)
  }

  void(id: string): void {
    const fact = this.#kept.get(id)
    if (!fact) return
    fact.isVoid = true
    this.#kept.delete(id)
  }

  voidAll(): void {
    for (const fact of this.#kept.values()) fact.isVoid = true
    this.#kept.clear()
  }
}

/** Creates a fact that only one response uses. */
export const ownFact = <V>(id: string, value: V): Fact<V> => ({ id, value, isVoid: false, users: 1 })
