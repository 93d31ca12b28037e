import { accessId, type Change } from './change.ts'
import type { ScopeItem } from './scopes-store.ts'

/** The maximum number of mappings. Beyond it, the cache is cleared, and each entry is read again. */
const maxKept = 100_000

/** Caches the scopes of mappings from projects to servers, by project and server. Invalid mappings are not cached. */
export class Scopes {
  readonly #kept = new Map<string, readonly string[]>()

  get({ projectId, serverId }: ScopeItem): readonly string[] | undefined {
    return this.#kept.get(accessId(projectId, serverId))
  }

  keep({ projectId, serverId }: ScopeItem, scopes: readonly string[]): void {
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(accessId(projectId, serverId), scopes)
  }

  apply(change: Change): void {
    if (change.kind === 'access') this.#kept.delete(change.id)
    // The servers that a project may use depend on the project and on all servers, which change seldom.
    else if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#kept.clear()
  }
}
