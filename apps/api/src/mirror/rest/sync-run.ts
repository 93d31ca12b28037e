import type { SyncCounts, SyncPlace } from './sync-store.ts'

/** A read of all members of a server. */
export interface SyncRun {
  readonly serverId: string
  /** The counts so far. They grow while the run continues. */
  readonly counts: SyncCounts
  /** The place of the run. It advances while the run continues, and an interrupted run continues from it. */
  readonly place: SyncPlace
  /** Records the progress. Throws if the run must stop. */
  reportProgress(): Promise<void>
  /** Sends a request to the platform, and repeats it until the platform responds. */
  ask<T>(question: () => Promise<T>): Promise<T>
}
