import type { SyncCounts, SyncPlace } from './sync-store.ts'

/** One read of all members of a server. */
export interface SyncRun {
  readonly serverId: string
  /** The counts so far, which grow during the run. */
  readonly counts: SyncCounts
  /** The place that the run has reached. An interrupted run continues from here. */
  readonly place: SyncPlace
  /** Records the progress. Throws if the run must stop. */
  reportProgress(): Promise<void>
  /** Sends a request to Discord, and repeats it until Discord responds. */
  request<T>(send: () => Promise<T>): Promise<T>
}
