import { accessId, type Change } from './change.ts'
import type { ScopeItem } from './scopes-store.ts'

/** Beyond it all are forgotten, which costs each a read. */
const maxKept = 100_000

/** Scopes of the mappings of projects to servers, by project and server: only of those that are good. */
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
    // Which servers a project may use depends on both; they change seldom.
    else if (change.kind === 'project' || change.kind === 'server') this.clear()
  }

  clear(): void {
    this.#kept.clear()
  }
}
