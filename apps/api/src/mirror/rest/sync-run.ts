import type { SyncCounts, SyncPlace } from './sync-store.ts'

/** One reading of all members of a server. */
export interface SyncRun {
  readonly serverId: string
  /** Counted up while it runs. */
  readonly counts: SyncCounts
  /** Advances while the run continues; an interrupted run starts from it. */
  readonly place: SyncPlace
  /** Records that the run continues; throws if it must stop. */
  reportProgress(): Promise<void>
  /** Sends a request to the platform, as often as necessary. */
  ask<T>(question: () => Promise<T>): Promise<T>
}
