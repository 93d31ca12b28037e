/**
 * A map that never holds more than `max` entries and evicts the least recently used.
 *
 * It has two generations instead of a linked list. Reads and writes go to the young generation. When the young
 * generation holds half of `max` entries, it becomes the old generation, and unused entries of the previous old
 * generation are dropped. So an entry stays if it is used once per `max / 2` other keys, and most reads are a single
 * lookup.
 */
export class RecentMap<V> {
  readonly #half: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()

  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2))
  }

  get(key: string): V | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value

    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: V): void {
    this.#old.delete(key)
    this.#young.set(key, value)
    if (this.#young.size < this.#half) return

    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
