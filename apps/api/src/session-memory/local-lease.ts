import { setTimeout as sleep } from 'node:timers/promises'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import type { Log } from '#platform/log'
import { type Invalidate, type LogSnapshot, readChangeLog } from './change-log-store.ts'
import type { Clock } from './clock.ts'
import type { LeasedCache } from './lease.ts'

interface LocalDeps {
  readonly db: Pick<Database, 'batched'>
  readonly memory: LeasedCache
  readonly log: Pick<Log, 'debug'>
  readonly clock: Clock
  readonly everyMs: number
}

/**
 * Replaces `Lease` with the embedded database. No other process can open that database, so the lease is valid as long
 * as reads of the change log succeed. A writer of this process reads the change log before its response.
 */
export class LocalLease {
  readonly #deps: LocalDeps
  #isValid = false
  #since: string | undefined
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined
  readonly readChanges: (invalidate: Invalidate) => Promise<LogSnapshot>

  constructor(deps: LocalDeps) {
    this.#deps = deps
    this.readChanges = batcher(async (requests: Invalidate[]) => {
      const found = await this.#readAndApply()
      return requests.map(() => found)
    }, 1)
  }

  isValidAt(_monotonicMs: number): boolean {
    return this.#isValid
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
    this.#clear()
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.readChanges('none').catch((err: unknown) =>
        this.#deps.log.debug({ err }, 'change log read failed'),
      )
      await sleep(this.#deps.everyMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    }
  }

  async #readAndApply(): Promise<LogSnapshot> {
    const { db, memory, clock } = this.#deps
    const sentAtMs = clock.monotonicMs()
    try {
      const found = await readChangeLog(db.batched, {
        since: this.#since,
        self: undefined,
        renews: false,
        invalidate: 'none',
        acknowledgementsByHolder: new Map(),
      })
      memory.applySnapshot(found, sentAtMs)
      this.#since = found.snapshot
      // A read before the start or after the close does not make the lease valid.
      this.#isValid = this.#running !== undefined && !this.#closing.signal.aborted
      return { ...found, holders: [] }
    } catch (error) {
      this.#clear()
      throw error
    }
  }

  #clear(): void {
    this.#isValid = false
    this.#since = undefined
    this.#deps.memory.clear()
  }
}
