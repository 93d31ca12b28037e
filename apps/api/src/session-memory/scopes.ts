import { accessId, type Change } from './change.ts'
import type { ScopeItem } from './scopes-store.ts'

/** The maximum number of entries. At the limit, the cache is cleared, and the entries are read again one by one. */
const maxEntries = 100_000

/** Caches which scopes projects have in servers. A project without access to a server is not cached. */
export class Scopes {
  readonly #entries = new Map<string, readonly string[]>()

  get({ projectId, serverId }: ScopeItem): readonly string[] | undefined {
    return this.#entries.get(accessId(projectId, serverId))
  }

  add({ projectId, serverId }: ScopeItem, scopes: readonly string[]): void {
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    this.#entries.set(accessId(projectId, serverId), scopes)
  }

  applyChange(change: Change): void {
    if (change.kind === 'access') this.#entries.delete(change.id)
    // Access also depends on the project and on all servers. Both change so rarely that clearing the cache is cheap.
    else if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#entries.clear()
  }
}
