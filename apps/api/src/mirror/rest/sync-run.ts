import type { SyncCounts, SyncPlace } from './sync-store.ts'

/** One reading of all members of a server. */
export interface SyncRun {
  readonly serverId: string
  /** Counted up while it runs. */
  readonly counts: SyncCounts
  /** Moved on while it runs; where it begins, when it was broken off. */
  readonly place: SyncPlace
  /** Says that the run goes on; throws when it must not. */
  beat(): Promise<void>
  /** Asks the platform, as often as it takes. */
  ask<T>(question: () => Promise<T>): Promise<T>
}
