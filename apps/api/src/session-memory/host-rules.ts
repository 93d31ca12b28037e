import type { Change } from './change.ts'
import type { HostRule } from './host-rules-store.ts'

/** Beyond it all are forgotten, which costs each a read. */
const maxKept = 100_000

/** Rules of protected hosts: only of those that are somebody's. */
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
    // Whose a host is, and which server is the main one; both change seldom.
    if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#kept.clear()
  }
}
