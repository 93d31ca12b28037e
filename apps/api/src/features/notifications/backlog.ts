import type { Deps } from '../../deps.ts'
import { readBacklog } from './store.ts'

export interface Backlog {
  /** Messages that wait to be posted, of all projects. */
  readonly pending: number
  /** How long the oldest of them has waited; 0 when there is none. */
  readonly oldestAgeSec: number
}

/** How far the notifications are behind, for monitoring. One statement. */
export async function notificationBacklog({ db }: Pick<Deps, 'db'>): Promise<Backlog> {
  const row = await readBacklog(db)
  return { pending: row?.pending ?? 0, oldestAgeSec: row?.oldestAgeSec ?? 0 }
}
