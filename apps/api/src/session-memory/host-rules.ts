import type { Change } from './change.ts'
import type { HostRule } from './host-rules-store.ts'

/** The maximum number of rules. Beyond it, the cache is cleared, and each entry is read again. */
const maxKept = 100_000

/** A cache of the rules of protected hosts; unowned hosts are not cached. */
export class HostRules {
  readonly #kept = new Map<string, HostRule>()

  get(host: string): HostRule | undefined {
    return this.#kept.get(host)
  }

  keep(host: string, rule: HostRule): void {
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(host, rule)
  }

  apply(change: Change): void {
    // The owner of a host and the main server; both change seldom.
    if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#kept.clear()
  }
}
