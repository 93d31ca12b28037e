import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '#platform/crypto/uuid'
import { batcher } from '#platform/db/batcher'
import type { DedicatedConnection } from '#platform/db/dedicated-connection'
import type { Log } from '#platform/log'
import type { Change } from './change.ts'
import {
  acknowledge,
  addUnknownHolder,
  channel,
  endLease,
  join,
  type LogSnapshot,
  leave,
  readChangeLog,
  renew,
  unknownHolder,
} from './change-log-store.ts'
import { type Clock, type Moment, momentOf } from './clock.ts'
import { Holders } from './holders.ts'
import { type Carried, parseNotification } from './invalidation.ts'
import { covers } from './snapshot.ts'

export interface LeaseTiming {
  readonly renewEveryMs: number
  /** The length of a lease from before its renewal was sent, for its holder; other processes wait as long for it. */
  readonly leaseMs: number
  /** The margin by which a holder ends its lease earlier: no two clocks run at quite the same rate. */
  readonly driftMs: number
}

export const leaseTiming: LeaseTiming = { renewEveryMs: 250, leaseMs: 2_000, driftMs: 100 }

/**
 * The delay after which changes that a process found by itself are acknowledged together; a writer that waits requests
 * it at once.
 */
const acknowledgeAfterMs = 20

/** The pause between two attempts to reach a database that does not answer. */
const retryAfterMs = 100

/** The cache under the lease. */
export interface LeasedMemory {
  apply(found: LogSnapshot, sentAtMs: number): void
  /** Applies changes that arrived between two reads. */
  applyChanges(changes: readonly Change[]): void
  forget(): void
}

/** Passes a notification on; a test may lose or delay it. */
export type Deliver = (payload: string, receive: (payload: string) => void) => void

interface LeaseDeps {
  readonly dedicate: (channel: string, received: (payload: string) => void) => Promise<DedicatedConnection>
  readonly memory: LeasedMemory
  readonly log: Pick<Log, 'debug' | 'info' | 'error'>
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly deliver: Deliver
}

/** One lease, on one connection, from joining to its loss. */
interface Term {
  readonly id: string
  readonly connection: DedicatedConnection
  /** Reads the change log. The read begins after the call; simultaneous calls share one. */
  readonly readChanges: (invalidate: boolean) => Promise<LogSnapshot>
  /** The latest snapshot with all changes applied. */
  applied: string
  server: string | undefined
  /** True while others may wait for changes that are applied here. */
  isUnacknowledged: boolean
  isAcknowledging: boolean
  acknowledging: NodeJS.Timeout | undefined
  /** The lease is valid while both clocks are below these. */
  endsAtMs: number
  endsAtWallMs: number
}

/**
 * Holds the right of this process to serve from memory, for a short time that is renewed again and again.
 *
 * A process joins with an empty cache. Every quarter of a second it renews its row. After that has committed, it reads
 * the change log, in a snapshot that begins then, and applies the changes. Only then the lease is extended, from the
 * moment before the renewal was sent. So a writer that commits a change either finds the renewed row, and waits until
 * this process has acknowledged the change, or the read sees the change.
 *
 * A process that is late, frozen or disconnected serves nothing from memory once the lease has ended. It checks that
 * by its clocks in the step that makes the response. When the connection ends, the cache is cleared: the server at its
 * other end may have changed in any way.
 */
export class Lease {
  readonly #deps: LeaseDeps
  readonly holders: Holders
  #term: Term | undefined
  /** The row of the previous lease, which joining deletes. */
  #previousId: string | undefined
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.holders = new Holders(deps.timing.leaseMs)
  }

  /** Returns true if the cache may be used in this very step, in which the monotonic clock was read. */
  isGoodAt(monotonicMs: number): boolean {
    const term = this.#term
    return term !== undefined && monotonicMs < term.endsAtMs && this.#deps.clock.wallMs() < term.endsAtWallMs
  }

  /** Reads the change log now and applies the changes; undefined while there is no lease to read under. */
  readChanges(invalidate: boolean): Promise<LogSnapshot> | undefined {
    return this.#term?.readChanges(invalidate)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Deletes the row, so that no writer waits for a process that is gone. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#hold()
      } catch (err) {
        // An outage is logged once, by `availability.ts`. Until this ends, answers are read from the database.
        this.#deps.log.debug({ err }, 'memory lease lost')
      }
      await pause(retryAfterMs, this.#closing.signal)
    }
  }

  async #hold(): Promise<void> {
    const { dedicate, clock, deliver, log, timing } = this.#deps
    let term: Term | undefined
    const receive = (payload: string) => term && this.#receive(term, payload)
    const opening = dedicate(channel, (payload) => deliver(payload, receive))
    const connection = await this.#unlessClosing(opening)
    if (!connection) return
    const id = uuidv7()
    const over = new AbortController()
    const end = () => over.abort()
    void connection.ended.then(end)
    this.#closing.signal.addEventListener('abort', end)
    // The lease may have begun to close while the connection was opened, and the abort event fires only once.
    if (this.#closing.signal.aborted) end()
    try {
      const joinedAt = momentOf(clock)
      const applied = await join(connection.rows, id, this.#previousId)
      this.#previousId = id
      term = this.#begin(id, connection, applied)
      await term.readChanges(false)
      this.#extend(term, joinedAt)
      log.info({ lease: id }, 'answering from memory')
      while (!over.signal.aborted && (await this.#renew(term))) await pause(timing.renewEveryMs, over.signal)
      this.#end(term)
      if (this.#closing.signal.aborted) await leave(connection.rows, id)
    } finally {
      if (term) this.#end(term)
      this.#closing.signal.removeEventListener('abort', end)
      connection.close()
    }
  }

  /**
   * Returns undefined if the lease closes first. A database that hangs accepts no connection for seconds, and a
   * process that stops does not wait for it.
   */
  #unlessClosing(opening: Promise<DedicatedConnection>): Promise<DedicatedConnection | undefined> {
    const { signal } = this.#closing
    return new Promise((resolve, reject) => {
      const leave = () => {
        resolve(undefined)
        opening.then(
          (late) => late.close(),
          () => {},
        )
      }
      signal.addEventListener('abort', leave, { once: true })
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  #begin(id: string, connection: DedicatedConnection, applied: string): Term {
    const term: Term = {
      id,
      connection,
      readChanges: batcher(async (invalidates: boolean[]) => {
        const found = await this.#readOnce(term, invalidates.includes(true))
        return invalidates.map(() => found)
      }, 1),
      applied,
      server: undefined,
      isUnacknowledged: false,
      isAcknowledging: false,
      acknowledging: undefined,
      endsAtMs: Number.NEGATIVE_INFINITY,
      endsAtWallMs: Number.NEGATIVE_INFINITY,
    }
    this.#term = term
    return term
  }

  #end(term: Term): void {
    if (this.#term !== term) return
    this.#term = undefined
    this.#deps.memory.forget()
  }

  /** Extends the lease from before the renewal was sent; an answer that came too late extends nothing. */
  #extend(term: Term, sentAt: Moment): void {
    const { clock, timing } = this.#deps
    const lasts = timing.leaseMs - timing.driftMs
    if (clock.monotonicMs() >= sentAt.monotonicMs + lasts) return
    term.endsAtMs = sentAt.monotonicMs + lasts
    term.endsAtWallMs = sentAt.wallMs + lasts
  }

  /** Renews first, and then reads in a snapshot that begins after the commit of the renewal. */
  async #renew(term: Term): Promise<boolean> {
    const { clock } = this.#deps
    const sentAt = momentOf(clock)
    const acknowledged = term.applied
    if (!(await renew(term.connection.rows, term.id, acknowledged))) return false
    await term.readChanges(false)
    if (this.#term !== term) return false
    this.#extend(term, sentAt)
    for (const holder of this.holders.overdue(clock.monotonicMs())) {
      await endLease(term.connection.rows, holder)
    }
    return true
  }

  async #readOnce(term: Term, invalidate: boolean): Promise<LogSnapshot> {
    const { clock, memory } = this.#deps
    const sentAtMs = clock.monotonicMs()
    const found = await readChangeLog(term.connection.rows, {
      since: term.applied,
      self: term.id,
      invalidate,
    })
    term.server ??= found.server
    if (this.#term !== term || term.server !== found.server) {
      this.#end(term)
      term.connection.close()
      throw new Error('The lease was lost while the change log was read.')
    }
    memory.apply(found, sentAtMs)
    this.#hasApplied(term, found.snapshot)
    if (found.changes.length > 0) term.isUnacknowledged = true
    const holders = await completed(term.connection.rows, found)
    this.holders.observe(holders, clock.monotonicMs())
    // A single process has no holder to notify, unless one asks.
    if (this.holders.size > 0) this.#acknowledgeSoon(term)
    return { ...found, holders }
  }

  #acknowledgeSoon(term: Term): void {
    if (term.acknowledging || !term.isUnacknowledged) return
    term.acknowledging = setTimeout(() => {
      term.acknowledging = undefined
      if (this.#term === term) this.#acknowledge(term)
    }, acknowledgeAfterMs).unref()
  }

  #acknowledge(term: Term): void {
    if (term.isAcknowledging || !term.isUnacknowledged) return
    term.isAcknowledging = true
    term.isUnacknowledged = false
    acknowledge(term.connection.rows, term.id, term.applied)
      .then(
        () => {
          term.isAcknowledging = false
          this.#acknowledge(term)
        },
        () => this.#end(term),
      )
      .catch((err: unknown) => this.#deps.log.error({ err }, 'change acknowledgment failed: internal error'))
  }

  /** Applied and acknowledged in one step, without a read: the waiting writer has read for all. */
  #applyCarried(term: Term, { snapshot, changes }: Carried): void {
    if (!covers(term.applied, snapshot)) {
      this.#deps.memory.applyChanges(changes)
      this.#hasApplied(term, snapshot)
      term.isUnacknowledged = true
    }
    this.#acknowledge(term)
  }

  /** A concurrent read may have begun before the changes of an invalidation. */
  #hasApplied(term: Term, snapshot: string): void {
    if (covers(snapshot, term.applied)) term.applied = snapshot
  }

  #receive(term: Term, payload: string): void {
    if (this.#term !== term) return
    const notified = parseNotification(payload)
    if (notified?.from === term.id) return
    if (notified?.kind === 'acknowledged') {
      this.holders.acknowledged(notified.from, notified.snapshot)
      return
    }
    if (notified?.carried?.holders.includes(term.id)) {
      this.#applyCarried(term, notified.carried)
      return
    }
    // A writer waits: all applied changes are acknowledged, also those applied before.
    term.readChanges(false).then(
      () => this.#acknowledge(term),
      () => this.#end(term),
    )
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** Returns the holders of a read, with the row that a crash deletes. */
export async function completed(
  run: Parameters<typeof readChangeLog>[0],
  { holders }: LogSnapshot,
): Promise<LogSnapshot['holders']> {
  if (holders.some(({ id }) => id === unknownHolder)) return holders
  await addUnknownHolder(run)
  return [...holders, { id: unknownHolder, renewals: 0, acknowledged: '', isBehind: true }]
}
