import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '#platform/crypto/uuid'
import { batcher } from '#platform/db/batcher'
import type { DedicatedConnection } from '#platform/db/dedicated-connection'
import type { Log } from '#platform/log'
import { type AcknowledgementCache, Acknowledgements, acknowledgementsFor } from './acknowledgements.ts'
import type { Change } from './change.ts'
import {
  deleteLease,
  deleteOverdueLease,
  type Invalidate,
  insertLease,
  type LogSnapshot,
  notificationChannel,
  readChangeLog,
  withUnknownHolder,
} from './change-log-store.ts'
import { type Clock, type Moment, momentOf } from './clock.ts'
import { Holders } from './holders.ts'
import { type CarriedChanges, parseNotification } from './invalidation.ts'
import { covers } from './snapshot.ts'

export interface LeaseTiming {
  readonly renewEveryMs: number
  /**
   * The duration of a lease. The holder counts it from before it sent the renewal; other processes wait just as long. A
   * renewal takes effect with the next read, so a lease must span two renewals and the delay of a statement.
   */
  readonly leaseMs: number
  /** The time by which a holder ends its lease early, because two clocks never run at exactly the same rate. */
  readonly driftMs: number
}

export const leaseTiming: LeaseTiming = { renewEveryMs: 500, leaseMs: 2_000, driftMs: 100 }

/** The pause before the next attempt to get a lease. */
const retryAfterMs = 100

/** The cache that may be used while the lease is valid. */
export interface LeasedCache {
  applySnapshot(found: LogSnapshot, sentAtMs: number): void
  /** Applies changes that a notification contained. */
  applyChanges(changes: readonly Change[]): void
  clear(): void
}

/** Passes a message to its receiver. Tests replace it to lose or delay messages. */
export type Deliver = (payload: string, receive: (payload: string) => void) => void

interface LeaseDeps {
  readonly dedicate: (channel: string, received: (payload: string) => void) => Promise<DedicatedConnection>
  readonly memory: LeasedCache
  readonly log: Pick<Log, 'debug' | 'info' | 'error'>
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly deliver: Deliver
  readonly cache: AcknowledgementCache | undefined
}

interface ReadRequest {
  readonly renews: boolean
  readonly invalidate: Invalidate
}

/** One lease on one connection, from joining until the lease is lost. */
interface Term {
  readonly id: string
  readonly connection: DedicatedConnection
  /** Reads the change log. The read begins after the call; simultaneous calls share one read. */
  readonly readChanges: (request: ReadRequest) => Promise<LogSnapshot>
  /** The latest snapshot of which this process has applied all changes. */
  applied: string
  /** The database server of the first read. If a later read reaches another server, the lease is lost. */
  server: string | undefined
  /** The moment just before the last committed renewal was sent. */
  renewedAt: Moment
  readonly acknowledgements: Acknowledgements
  /** The ends of the lease by the two clocks. The lease is valid while both clocks are before them. */
  endsAtMs: number
  endsAtWallMs: number
}

/**
 * Holds the lease of this process: the right to serve from memory for a short, renewable time.
 *
 * A process joins with an empty cache. Twice a second, one statement renews its row and reads the change log. Each read
 * begins after the previous renewal has committed. When its changes are applied, the lease is extended, counted from
 * the moment before that renewal was sent. So every committed change reaches this process in one of two ways. Either
 * its writer finds the renewed row, and waits until this process acknowledges the change. Or its writer committed
 * before the renewal, and the next read contains the change.
 *
 * The code that creates a response checks the lease in the same synchronous step, against the clocks of the process. So
 * a process that is late, frozen, or disconnected serves nothing from memory once the lease has ended. When the
 * connection ends, the cache is cleared, because the next connection may reach a different server.
 */
export class Lease {
  readonly #deps: LeaseDeps
  readonly holders: Holders
  #term: Term | undefined
  /** The row of the previous lease. Joining deletes it. */
  #previousId: string | undefined
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.holders = new Holders(deps.timing.leaseMs)
  }

  /**
   * Returns true if the lease is valid at this monotonic time. Call it in the synchronous step that reads the clock and
   * makes the response.
   */
  isValidAt(monotonicMs: number): boolean {
    const term = this.#term
    return term !== undefined && monotonicMs < term.endsAtMs && this.#deps.clock.wallMs() < term.endsAtWallMs
  }

  /** Reads the change log now, and applies its changes. Returns undefined while there is no lease. */
  readChanges(invalidate: Invalidate): Promise<LogSnapshot> | undefined {
    return this.#term?.readChanges({ renews: false, invalidate })
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends the lease and deletes its row, so that no writer waits for this process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#hold()
      } catch (err) {
        // `availability.ts` logs the outage once. Until there is a new lease, every read goes to the database.
        this.#deps.log.debug({ err }, 'memory lease lost')
      }
      await pause(retryAfterMs, this.#closing.signal)
    }
  }

  async #hold(): Promise<void> {
    const { dedicate, clock, deliver, log, timing } = this.#deps
    let term: Term | undefined
    const receive = (payload: string) => term && this.#receive(term, payload)
    const opening = dedicate(notificationChannel, (payload) => deliver(payload, receive))
    const connection = await this.#unlessClosing(opening)
    if (!connection) return
    const id = uuidv7()
    const unsubscribe = this.#deps.cache?.subscribe(acknowledgementsFor(id), (message) =>
      deliver(message, (received) => this.#receiveAcknowledgement(received)),
    )
    const ended = new AbortController()
    const end = () => ended.abort()
    void connection.ended.then(end)
    this.#closing.signal.addEventListener('abort', end)
    // Closing may have begun while the connection was opened, and the abort event fires only once.
    if (this.#closing.signal.aborted) end()
    try {
      const joinedAt = momentOf(clock)
      const applied = await insertLease(connection.rows, id, this.#previousId)
      this.#previousId = id
      term = this.#begin(id, connection, { applied, renewedAt: joinedAt })
      let sentAtMs = clock.monotonicMs()
      await this.#renew(term)
      log.info({ lease: id }, 'answering from memory')
      while (!ended.signal.aborted) {
        // The time of the statement counts as part of the interval. Otherwise, a slow one would let the lease end.
        await pause(Math.max(0, sentAtMs + timing.renewEveryMs - clock.monotonicMs()), ended.signal)
        sentAtMs = clock.monotonicMs()
        if (!ended.signal.aborted) await this.#renew(term)
      }
      this.#end(term)
      if (this.#closing.signal.aborted) await deleteLease(connection.rows, id)
    } finally {
      if (term) this.#end(term)
      unsubscribe?.()
      this.#closing.signal.removeEventListener('abort', end)
      connection.close()
    }
  }

  /** Returns the connection, or undefined if the lease is closed first: a stop does not wait for the database. */
  #unlessClosing(opening: Promise<DedicatedConnection>): Promise<DedicatedConnection | undefined> {
    const { signal } = this.#closing
    return new Promise((resolve, reject) => {
      const abandon = () => {
        resolve(undefined)
        opening.then(
          (late) => late.close(),
          () => {},
        )
      }
      signal.addEventListener('abort', abandon, { once: true })
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon))
    })
  }

  #begin(
    id: string,
    connection: DedicatedConnection,
    { applied, renewedAt }: Pick<Term, 'applied' | 'renewedAt'>,
  ): Term {
    const term: Term = {
      id,
      connection,
      readChanges: batcher(async (requests: ReadRequest[]) => {
        const found = await this.#readAndApply(term, mergeRequests(requests))
        return requests.map(() => found)
      }, 1),
      applied,
      renewedAt,
      server: undefined,
      acknowledgements: new Acknowledgements({
        ...this.#deps,
        run: connection.rows,
        lease: id,
        applied: () => term.applied,
        hasEnded: () => this.#term !== term,
        onFailure: () => this.#end(term),
      }),
      endsAtMs: Number.NEGATIVE_INFINITY,
      endsAtWallMs: Number.NEGATIVE_INFINITY,
    }
    this.#term = term
    return term
  }

  #end(term: Term): void {
    if (this.#term !== term) return
    this.#term = undefined
    this.#deps.memory.clear()
  }

  /** Extends the lease, counted from before the renewal was sent. A response that arrives too late has no effect. */
  #extend(term: Term, sentAt: Moment): void {
    const { clock, timing } = this.#deps
    const usableMs = timing.leaseMs - timing.driftMs
    if (clock.monotonicMs() >= sentAt.monotonicMs + usableMs) return
    term.endsAtMs = sentAt.monotonicMs + usableMs
    term.endsAtWallMs = sentAt.wallMs + usableMs
  }

  /** Renews the lease, and deletes the leases that other processes did not renew in time. */
  async #renew(term: Term): Promise<void> {
    await term.readChanges({ renews: true, invalidate: 'none' })
    for (const holder of this.holders.listOverdue(this.#deps.clock.monotonicMs())) {
      await deleteOverdueLease(term.connection.rows, holder)
    }
  }

  async #readAndApply(term: Term, { renews, invalidate }: ReadRequest): Promise<LogSnapshot> {
    const { cache, clock, memory } = this.#deps
    const { renewedAt } = term
    const sentAt = momentOf(clock)
    if (renews) term.acknowledgements.recordRenewal()
    const found = await readChangeLog(term.connection.rows, {
      since: term.applied,
      self: term.id,
      renews,
      invalidate: invalidate === 'quick' && !cache?.isUp() ? 'safe' : invalidate,
      acknowledgementsByHolder: this.holders.acknowledgementsByHolder,
    })
    term.server ??= found.server
    const isLost = term.server !== found.server || (renews && !found.isRenewed)
    if (this.#term !== term || isLost) {
      this.#end(term)
      term.connection.close()
      throw new Error('The lease was lost while the change log was read.')
    }
    memory.applySnapshot(found, sentAt.monotonicMs)
    this.#advance(term, found.snapshot)
    this.#extend(term, renewedAt)
    if (renews) term.renewedAt = sentAt
    if (found.changes.length > 0) term.acknowledgements.recordApplied()
    const holders = await withUnknownHolder(term.connection.rows, found)
    this.holders.observe(holders, { sentAtMs: sentAt.monotonicMs, receivedAtMs: clock.monotonicMs() })
    // Without other holders, no writer waits for an acknowledgement. `#receive` replies to a writer that requests one.
    if (renews && found.changes.length > 0 && this.holders.size > 0) term.acknowledgements.writeSoon()
    return { ...found, holders }
  }

  /** Applies the changes that a notification contains, so that this process need not read the log. */
  #applyCarried(term: Term, { snapshot, changes }: CarriedChanges): void {
    if (covers(term.applied, snapshot)) return
    this.#deps.memory.applyChanges(changes)
    this.#advance(term, snapshot)
    term.acknowledgements.recordApplied()
  }

  /**
   * Records an applied snapshot, but never an older one: a read that began before a notification arrived may end after
   * it.
   */
  #advance(term: Term, snapshot: string): void {
    if (covers(snapshot, term.applied)) term.applied = snapshot
  }

  /** Handles a notification. Only the holders that it names apply its changes: all others have them already. */
  #receive(term: Term, payload: string): void {
    if (this.#term !== term) return
    const notified = parseNotification(payload)
    if (notified?.from === term.id) return
    if (notified?.kind === 'acknowledged') {
      this.holders.recordAcknowledgement(notified.from, notified.snapshot)
    } else if (!notified?.carried) {
      term.readChanges({ renews: false, invalidate: 'none' }).then(
        () => term.acknowledgements.reply(notified),
        () => this.#end(term),
      )
    } else if (notified.carried.holders.includes(term.id)) {
      this.#applyCarried(term, notified.carried)
      term.acknowledgements.reply(notified)
    }
  }

  #receiveAcknowledgement(message: string): void {
    const notified = parseNotification(message)
    if (notified?.kind === 'acknowledged')
      this.holders.recordAcknowledgement(notified.from, notified.snapshot)
  }
}

/** Combines the requests of simultaneous callers into one read. */
const mergeRequests = (readings: readonly ReadRequest[]): ReadRequest => ({
  renews: readings.some(({ renews }) => renews),
  invalidate:
    (['safe', 'quick'] as const).find((how) => readings.some(({ invalidate }) => invalidate === how)) ??
    'none',
})

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})
