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
 * The interval at which a writer repeats a notification that may have been lost. A repeated notification is `safe`: the
 * holders acknowledge in their rows, because the cache may have lost the first acknowledgement.
 */
const renotifyAfterMs = 50
/** A longer wait is logged: a process that is running normally acknowledges within milliseconds. */
const slowMs = 500
/** The delay after which changes are announced if no writer waits for them. One announcement covers all of them. */
const announceAfterMs = 10

interface ConfirmationDeps {
  readonly db: Pick<Database, 'batched'>
  readonly lease: Lease | LocalLease
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly clock: Clock
  /** The duration of a lease. After this time without a renewal, no process serves from memory. */
  readonly leaseMs: number
}

/**
 * Makes writes visible everywhere: announces committed changes to every process with a lease, and waits until these
 * processes have applied the changes.
 */
export class Confirmation {
  readonly #deps: ConfirmationDeps
  readonly #holders: Holders
  readonly #logSlowConfirmation: (fields: { waitedMs: number; awaitedLeases: readonly string[] }) => void
  /** The number of times that this process may have written, and the number of those writes that were announced. */
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
    // A process that holds no lease has nothing to invalidate, but its writers still wait for the other processes.
    this.#holders = deps.lease instanceof Lease ? deps.lease.holders : new Holders(deps.leaseMs)
  }

  /** Returns how many times this process may have written to the database. */
  get writes(): number {
    return this.#writes
  }

  /** Records a possible write. Holders that have not applied it are notified soon, even if no writer waits. */
  recordWrite(): void {
    this.#writes += 1
    if (this.#announcing || this.#isClosed) return
    this.#announcing = setTimeout(() => {
      this.#announcing = undefined
      // A writer that waits may have announced the write in the meantime.
      if (this.#announcedWrites < this.#writes && !this.#isClosed) this.#announce('quick').catch(() => {})
    }, announceAfterMs).unref()
  }

  /**
   * Waits until no process serves data that is older than the changes before this call. Each other process has then
   * acknowledged the changes, or its lease has ended. Never rejects. With PostgreSQL, waits no longer than the duration
   * of a lease.
   */
  async confirm(): Promise<void> {
    const { lease, leaseMs } = this.#deps
    // With the embedded database, there is no other process, and the lease has no duration to wait for.
    if (!(lease instanceof Lease)) return this.#notifyAndWait(leaseMs)
    // A lease that is still valid after this time was renewed after the change. Its holder has therefore read the
    // change.
    await within(this.#notifyAndWait(leaseMs), leaseMs, undefined)
  }

  /**
   * Notifies the holders that have not applied the changes, and waits for them. If the list of holders cannot be read,
   * waits until every lease must have ended.
   */
  async #notifyAndWait(leaseMs: number): Promise<void> {
    const { clock, log } = this.#deps
    const sinceMs = clock.monotonicMs()
    const deadlineMs = sinceMs + leaseMs
    try {
      const { snapshot, holders } = await this.#announce('quick')
      const behind = this.#holders.listBehind(holders, snapshot, clock.monotonicMs())
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
   * Reads the change log and notifies, in one statement, the holders that are behind. Reads through the lease if this
   * process has one, so that it applies the changes itself, too.
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
      // Without a lease, this process has no address for acknowledgements through the cache.
      invalidate: 'safe',
      acknowledgementsByHolder: new Map(),
    })
    const withUnknown = { ...found, holders: await withUnknownHolder(db.batched, found) }
    this.#holders.observe(withUnknown.holders, { sentAtMs, receivedAtMs: clock.monotonicMs() })
    return requests.map(() => withUnknown)
  }, 1)

  /**
   * Waits until each of these holders has acknowledged the snapshot, or its lease has ended. Repeats the notification
   * every `renotifyAfterMs`.
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
