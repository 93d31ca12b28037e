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
  /** How long a lease lasts from before its renewal was sent, by its holder; others wait so long for it. */
  readonly leaseMs: number
  /** A holder ends its lease this much earlier: no two clocks run at quite the same rate. */
  readonly driftMs: number
}

export const leaseTiming: LeaseTiming = { renewEveryMs: 250, leaseMs: 2_000, driftMs: 100 }

/** What a process found by itself is acknowledged together, unless somebody asks: whoever waits does ask. */
const acknowledgeAfterMs = 20

/** Between two tries to reach a database that does not answer. */
const retryAfterMs = 100

/** What is kept under the lease. */
export interface LeasedMemory {
  apply(found: LogSnapshot, sentAtMs: number): void
  /** Applies changes that were heard of between two reads. */
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
  /** The latest snapshot whose changes are applied. */
  applied: string
  server: string | undefined
  /** True while others may wait for changes that are applied here. */
  isUnacknowledged: boolean
  isAcknowledging: boolean
  acknowledging: NodeJS.Timeout | undefined
  /** The lease is good while both clocks are below these. */
  endsAtMs: number
  endsAtWallMs: number
}

/**
 * The right of this process to answer from memory, for a short time, renewed again and again.
 *
 * What can happen when: a process joins with an empty memory. Every quarter of a second it renews its row; after that
 * has committed it reads the change log, in a snapshot that begins then, and applies what it finds; only then the
 * lease counts on, from the moment before the renewal was sent. So whoever commits a change either finds the renewed
 * row, and waits until this process has acknowledged the change, or is seen by the read. A process that is late,
 * frozen or cut off answers nothing from memory once the lease has ended, which it reads from its clocks in the step that
 * makes the answer. When the connection ends everything is forgotten: nobody knows what the server at its other end
 * has become.
 */
export class Lease {
  readonly #deps: LeaseDeps
  readonly holders: Holders
  #term: Term | undefined
  /** The row of the lease before, which joining deletes. */
  #previousId: string | undefined
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.holders = new Holders(deps.timing.leaseMs)
  }

  /** True when what is kept may be used in this very step, which the monotonic clock was read in. */
  isGoodAt(monotonicMs: number): boolean {
    const term = this.#term
    return term !== undefined && monotonicMs < term.endsAtMs && this.#deps.clock.wallMs() < term.endsAtWallMs
  }

  /** Reads the change log now and applies what it finds; undefined while there is no lease to read under. */
  readChanges(invalidate: boolean): Promise<LogSnapshot> | undefined {
    return this.#term?.readChanges(invalidate)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Takes the row away, so that nobody waits for a process that is gone. */
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
        this.#deps.log.debug({ err }, 'the lease for answers from memory was lost')
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
    // It may have begun to close while the connection was being made, and nobody is told of that twice.
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

  /** A database that hangs accepts no connection for seconds. A process that stops does not wait for it. */
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

  /** Counts from before the renewal was sent; an answer that came too late extends nothing. */
  #extend(term: Term, sentAt: Moment): void {
    const { clock, timing } = this.#deps
    const lasts = timing.leaseMs - timing.driftMs
    if (clock.monotonicMs() >= sentAt.monotonicMs + lasts) return
    term.endsAtMs = sentAt.monotonicMs + lasts
    term.endsAtWallMs = sentAt.wallMs + lasts
  }

  /** Renews first, and reads in a snapshot that begins after that has committed. */
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
    // Alone there is nobody to tell, unless somebody asks.
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
      .catch((err: unknown) => this.#deps.log.error({ err }, 'an acknowledgement failed'))
  }

  /** Applied and acknowledged in one step, without a read: the one that waits has read for everybody. */
  #applyCarried(term: Term, { snapshot, changes }: Carried): void {
    if (!covers(term.applied, snapshot)) {
      this.#deps.memory.applyChanges(changes)
      this.#hasApplied(term, snapshot)
      term.isUnacknowledged = true
    }
    this.#acknowledge(term)
  }

  /** A read that was on its way meanwhile may have begun before what an invalidation carried. */
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
    // Somebody waits: whatever is applied is acknowledged, also what was applied before.
    term.readChanges(false).then(
      () => this.#acknowledge(term),
      () => this.#end(term),
    )
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** The holders of a read, with the row that a crash takes away. */
export async function completed(
  run: Parameters<typeof readChangeLog>[0],
  { holders }: LogSnapshot,
): Promise<LogSnapshot['holders']> {
  if (holders.some(({ id }) => id === unknownHolder)) return holders
  await addUnknownHolder(run)
  return [...holders, { id: unknownHolder, renewals: 0, acknowledged: '', isBehind: true }]
}
