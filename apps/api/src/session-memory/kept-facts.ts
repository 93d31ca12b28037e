/** A fact that several answers are made of. Once it is void, so is every answer that was made of it. */
export interface Fact<V> {
  readonly id: string
  value: V
  isVoid: boolean
  /** Kept sessions and keys that are made of it. */
  users: number
}

/** Facts of one kind, kept as long as something is made of them. */
export class Facts<V> {
  readonly #kept = new Map<string, Fact<V>>()

  get(id: string): Fact<V> | undefined {
    return this.#kept.get(id)
  }

  values(): Iterable<Fact<V>> {
    return this.#kept.values()
  }

  /** The kept fact, or this one from now on. */
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

/** A fact of nobody but the answer that is made of it now. */
export const ownFact = <V>(id: string, value: V): Fact<V> => ({ id, value, isVoid: false, users: 1 })
