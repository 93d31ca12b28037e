import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '#platform/async'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import { type Invalidate, type LogSnapshot, readChangeLog, withUnknownHolder } from './change-log-store.ts'
import type { Clock } from './clock.ts'
import { Holders } from './holders.ts'
import { Lease } from './lease.ts'
import type { LocalLease } from './local-lease.ts'

/**
 * The interval at which awaited holders are notified again, because a notification may be lost. These notifications are
 * `safe`: holders acknowledge in their rows, because the cache may have lost the first acknowledgement.
 */
const renotifyAfterMs = 50
/** A wait of at least this duration is logged, because a running instance acknowledges within milliseconds. */
const slowMs = 500
/** The delay after which changes without a waiting writer are announced together. */
const announceAfterMs = 10

interface ConfirmationDeps {
  readonly db: Pick<Database, 'batched'>
  readonly lease: Lease | LocalLease
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly clock: Clock
  /** The time for which any process may serve from memory without a renewal of its lease. */
  readonly leaseMs: number
}

/** Announces committed changes to every process with a lease, and waits for their acknowledgements. */
export class Confirmation {
  readonly #deps: ConfirmationDeps
  readonly #holders: Holders
  readonly #logSlowConfirmation: (fields: { waitedMs: number; awaitedLeases: readonly string[] }) => void
  /** The number of possible writes of this process, and the number of those that were announced. */
  #writes = 0
  #announcedWrites = 0
  #announcing: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: ConfirmationDeps) {
    this.#deps = deps
    this.#logSlowConfirmation = createMinuteLog(
      deps.log,
      'change confirmation delayed: an instance acknowledged late, or not at all',
      ({ waitedMs }) => waitedMs,
    )
    // A process without a lease applies no changes, but still waits for the other processes.
    this.#holders = deps.lease instanceof Lease ? deps.lease.holders : new Holders(deps.leaseMs)
  }

  /** Returns the number of possible writes of this process. */
  get writes(): number {
    return this.#writes
  }

  /** Records a possible write. Holders that are behind are notified soon, even if no writer waits. */
  recordWrite(): void {
    this.#writes += 1
    if (this.#announcing || this.#isClosed) return
    this.#announcing = setTimeout(() => {
      this.#announcing = undefined
      // A waiting writer may have announced the write already.
      if (this.#announcedWrites < this.#writes && !this.#isClosed) this.#announce('quick').catch(() => {})
    }, announceAfterMs).unref()
  }

  /**
   * Settles when no process serves data from before a change that preceded the call: each has acknowledged the change,
   * or no longer holds a lease. Never rejects. With PostgreSQL, takes no longer than a lease.
   */
  async confirm(): Promise<void> {
    const { lease, leaseMs } = this.#deps
    // The embedded database has no other process, and its lease does not end.
    if (!(lease instanceof Lease)) return this.#notifyAndWait(leaseMs)
    // Every lease that is still valid after this wait was renewed after the change, so its holder has read the change.
    await within(this.#notifyAndWait(leaseMs), leaseMs, undefined)
  }

  /**
   * Notifies the holders that are behind, and waits for them. If they are unknown, waits until every lease has ended.
   */
  async #notifyAndWait(leaseMs: number): Promise<void> {
    const { clock, log } = this.#deps
    const sinceMs = clock.monotonicMs()
    const deadlineMs = sinceMs + leaseMs
    try {
      const { snapshot, holders } = await this.#announce('quick')
      const behind = this.#holders.behind(holders, snapshot, clock.monotonicMs())
      if (behind.length === 0) return
      await this.#waitForAcknowledgements(snapshot, behind, deadlineMs)
      const waitedMs = Math.round(clock.monotonicMs() - sinceMs)
      if (waitedMs >= slowMs) this.#logSlowConfirmation({ waitedMs, awaitedLeases: behind })
    } catch (err) {
      log.debug({ err }, 'lease list unavailable: waiting until every lease has ended')
      await sleep(Math.max(0, deadlineMs - clock.monotonicMs()))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#announcing)
  }

  /**
   * Reads the change log, and notifies the holders that are behind in the same statement. While there is a lease, reads
   * through it, so that this process applies the changes, too.
   */
  async #announce(invalidate: Invalidate): Promise<LogSnapshot> {
    const announced = this.#writes
    const found = await (this.#deps.lease
      .readChanges(invalidate)
      ?.catch(() => this.#readWithoutLease(undefined)) ?? this.#readWithoutLease(undefined))
    this.#announcedWrites = Math.max(this.#announcedWrites, announced)
    return found
  }

  readonly #readWithoutLease = batcher(async (requests: undefined[]) => {
    const { db, clock } = this.#deps
    const sentAtMs = clock.monotonicMs()
    const found = await readChangeLog(db.batched, {
      since: undefined,
      self: undefined,
      renews: false,
      // Acknowledgements through the cache are addressed to a lease.
      invalidate: 'safe',
      acknowledgementsByHolder: new Map(),
    })
    const withUnknown = { ...found, holders: await withUnknownHolder(db.batched, found) }
    this.#holders.observe(withUnknown.holders, { sentAtMs, answeredAtMs: clock.monotonicMs() })
    return requests.map(() => withUnknown)
  }, 1)

  /**
   * Waits until each holder has acknowledged the snapshot or its lease has ended. Meanwhile, notifies the holders that
   * are still behind every `renotifyAfterMs`.
   */
  async #waitForAcknowledgements(
    snapshot: string,
    behind: readonly string[],
    deadlineMs: number,
  ): Promise<void> {
    const { clock } = this.#deps
    const wait = this.#holders.wait(snapshot, behind, clock.monotonicMs())
    const done = wait.done.then(() => true)
    for (;;) {
      const endsAtMs = Math.min(deadlineMs, latest(wait.remaining().map((id) => this.#holders.endsAtMs(id))))
      const remainingMs = endsAtMs - clock.monotonicMs()
      if (remainingMs <= 0) return wait.end()
      if (await within(done, Math.min(remainingMs, renotifyAfterMs), false)) return
      await this.#announce('safe')
    }
  }
}

const latest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
