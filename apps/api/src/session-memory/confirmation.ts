import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '#platform/async'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import { type LogSnapshot, readChangeLog } from './change-log-store.ts'
import type { Clock } from './clock.ts'
import { Holders } from './holders.ts'
import { completed, Lease } from './lease.ts'
import type { LocalLease } from './local-lease.ts'

/** Between two reads of the rows of those who are waited for: a notification may be lost. */
const askAgainAfterMs = 50
/** From here on a wait is logged: an instance that runs acknowledges within milliseconds. */
const slowMs = 500
/** Changes that nobody waits for are made known together. */
const invalidateAfterMs = 10

interface ConfirmationDeps {
  readonly db: Pick<Database, 'batched'>
  readonly lease: Lease | LocalLease
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly clock: Clock
  /** As long as any process may answer from memory without having renewed its lease. */
  readonly leaseMs: number
}

/** What a writer does after its commit: makes its change known to every process that has a lease, and waits for them. */
export class Confirmation {
  readonly #deps: ConfirmationDeps
  readonly #holders: Holders
  readonly #waited: (fields: object) => void
  #writes = 0
  #writesMadeKnown = 0
  #invalidating: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: ConfirmationDeps) {
    this.#deps = deps
    this.#waited = createMinuteLog(deps.log, 'a change waited for an instance that did not answer')
    // Without a lease there is nothing to apply, but other processes are waited for all the same.
    this.#holders = deps.lease instanceof Lease ? deps.lease.holders : new Holders(deps.leaseMs)
  }

  /** Counts what this process may have written. */
  get writes(): number {
    return this.#writes
  }

  /** Something may have been written. Whoever is behind is told soon, also when nobody waits. */
  written(): void {
    this.#writes += 1
    if (this.#invalidating || this.#isClosed) return
    this.#invalidating = setTimeout(() => {
      this.#invalidating = undefined
      // Whoever waited for it has made it known already.
      if (this.#writesMadeKnown < this.#writes && !this.#isClosed) this.#invalidate().catch(() => {})
    }, invalidateAfterMs).unref()
  }

  /**
   * Settles when no process answers any more from what was changed before the call: each has said that it has applied
   * it, or has no lease any more. Never rejects, and takes no longer than a lease.
   */
  async confirm(): Promise<void> {
    const { clock, log, leaseMs } = this.#deps
    const sinceMs = clock.monotonicMs()
    const deadlineMs = sinceMs + leaseMs
    try {
      const { snapshot, holders } = await this.#invalidate()
      const behind = this.#holders.behind(holders, snapshot, clock.monotonicMs())
      if (behind.length === 0) return
      await this.#acknowledgements(snapshot, behind, deadlineMs)
      const waitedMs = Math.round(clock.monotonicMs() - sinceMs)
      if (waitedMs >= slowMs) this.#waited({ waitedMs, leases: behind })
    } catch (err) {
      log.debug({ err }, 'nobody can say who has a lease: the longest is waited for')
      // A lease that is good after this was renewed after the change, and its holder has seen it.
      await sleep(Math.max(0, deadlineMs - clock.monotonicMs()))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#invalidating)
  }

  /** Reads who is behind, and notifies them. Under the lease while there is one, which applies what is read. */
  async #invalidate(): Promise<LogSnapshot> {
    const seen = this.#writes
    const found = await (this.#deps.lease.readChanges(true)?.catch(() => this.#readWithoutLease(true)) ??
      this.#readWithoutLease(true))
    this.#writesMadeKnown = Math.max(this.#writesMadeKnown, seen)
    return found
  }

  readonly #readWithoutLease = batcher(async (asked: boolean[]) => {
    const { db, clock } = this.#deps
    const found = await readChangeLog(db.batched, { since: undefined, self: undefined, invalidate: true })
    const withUnknown = { ...found, holders: await completed(db.batched, found) }
    this.#holders.observe(withUnknown.holders, clock.monotonicMs())
    return asked.map(() => withUnknown)
  }, 1)

  async #acknowledgements(snapshot: string, behind: readonly string[], deadlineMs: number): Promise<void> {
    const { clock } = this.#deps
    const wait = this.#holders.wait(snapshot, behind)
    const done = wait.done.then(() => true)
    for (;;) {
      const endsAtMs = Math.min(deadlineMs, latest(wait.left().map((id) => this.#holders.endsAtMs(id))))
      const leftMs = endsAtMs - clock.monotonicMs()
      if (leftMs <= 0) return wait.end()
      if (await within(done, Math.min(leftMs, askAgainAfterMs), false)) return
      await this.#invalidate()
    }
  }
}

const latest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
