/**
 * A map with at most `max` entries, which evicts entries that were not used recently.
 *
 * It consists of two maps instead of a linked list. Reads and writes move an entry to the young map. When the young map
 * has `max / 2` entries, it becomes the old map, and what is left of the previous old map is dropped. So an entry stays
 * if it is used at least once while `max / 2` other entries are used. Most reads need a single lookup.
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
