import type { Change } from './change.ts'
import type { HostRule } from './host-rules-store.ts'

/** The maximum number of cached rules. At the limit, the cache is cleared, and the rules are read again one by one. */
const maxEntries = 100_000

/** Caches the rules of protected hosts. A host that no project protects is not cached. */
export class HostRules {
  readonly #entries = new Map<string, HostRule>()

  get(host: string): HostRule | undefined {
    return this.#entries.get(host)
  }

  add(host: string, rule: HostRule): void {
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    this.#entries.set(host, rule)
  }

  applyChange(change: Change): void {
    // A rule depends on its project and on the main server. Both change so rarely that clearing the cache is cheap.
    if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#entries.clear()
  }
}
