import type { Run } from './run.ts'

/** The keys and items of one object or array that a schema has evaluated. `unevaluated…` checks all others. */
export class Seen {
  readonly keys = new Set<string>()
  readonly items = new Set<number>()
  hasAllKeys = false
  hasAllItems = false

  /** Adds the parts that another schema has evaluated. Call it only if the value passed that schema. */
  add(other: Seen, run: Run): void {
    run.spend(4 + (other.keys.size + other.items.size) * 12)
    for (const key of other.keys) this.keys.add(key)
    for (const item of other.items) this.items.add(item)
    this.hasAllKeys ||= other.hasAllKeys
    this.hasAllItems ||= other.hasAllItems
  }
}
