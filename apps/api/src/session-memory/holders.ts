import type { Holder } from './change-log-store.ts'
import { unknownHolder } from './change-log-store.ts'
import { covers } from './snapshot.ts'

/** A wait until every holder that was behind has applied a snapshot, or no longer holds a lease. */
interface Wait {
  /** The snapshot. */
  readonly target: string
  readonly beganAtMs: number
  readonly remaining: Set<string>
  readonly settle: () => void
}

interface Observation {
  readonly renewals: number
  /** The time at which a read first returned this count, by this process's monotonic clock. */
  readonly seenAtMs: number
}

/** The times of a read, by this process's monotonic clock. */
export interface ReadTimes {
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

/**
 * Tracks the leases of the other processes by this process's monotonic clock. A lease counts as ended when its renewal
 * count is unchanged a full lease duration after a read first returned it. No wall clocks are compared.
 */
export class Holders {
  readonly #leaseMs: number
  readonly #seen = new Map<string, Observation>()
  /**
   * The latest acknowledgement of each holder, unless its row contained it at the last read. An acknowledgement can
   * arrive before the response of a read with an older snapshot, and through the cache before it is in the row.
   */
  readonly #acknowledgements = new Map<string, string>()
  readonly #waits = new Set<Wait>()

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#seen.size
  }

  get acknowledgementsByHolder(): ReadonlyMap<string, string> {
    return this.#acknowledgements
  }

  /**
   * Records the holders that a read found. The read completes only waits that began before it was sent: an older read may
   * lack the awaited change, or the row of a holder that joined later. A holder without a row is no longer awaited, unless
   * the database server has crashed (`unknownHolder` has no renewals): the crash may have deleted the row of a valid lease.
   */
  observe(holders: readonly Holder[], { sentAtMs, answeredAtMs }: ReadTimes): void {
    const byId = new Map(holders.map((holder) => [holder.id, holder]))
    const hasCrashed = byId.get(unknownHolder)?.renewals === 0
    const hasEnded = (id: string) => !byId.has(id) && !hasCrashed
    for (const [id, { seenAtMs }] of this.#seen) {
      if (hasEnded(id) && seenAtMs <= sentAtMs) this.#seen.delete(id)
    }
    for (const id of this.#acknowledgements.keys()) if (hasEnded(id)) this.#acknowledgements.delete(id)
    for (const { id, renewals, acknowledged } of holders) {
      const acknowledgement = this.#acknowledgements.get(id)
      if (acknowledgement !== undefined && covers(acknowledged, acknowledgement))
        this.#acknowledgements.delete(id)
      // `endLease` has marked the leases from before the crash as ended.
      if (id === unknownHolder && renewals > 0) this.#seen.delete(id)
      else if (this.#seen.get(id)?.renewals !== renewals)
        this.#seen.set(id, { renewals, seenAtMs: answeredAtMs })
    }
    for (const wait of this.#waits) {
      if (wait.beganAtMs > sentAtMs) continue
      for (const id of wait.remaining) {
        const holder = byId.get(id)
        const isDone = holder
          ? !holder.isBehind || (id !== unknownHolder && covers(holder.acknowledged, wait.target))
          : hasEnded(id)
        if (isDone) this.#stopWaitingFor(wait, id)
      }
    }
  }

  /** Records that a holder has applied a snapshot. */
  recordAcknowledgement(id: string, snapshot: string): void {
    const before = this.#acknowledgements.get(id)
    if (before === undefined || covers(snapshot, before)) this.#acknowledgements.set(id, snapshot)
    for (const wait of this.#waits) {
      if (wait.remaining.has(id) && covers(snapshot, wait.target)) this.#stopWaitingFor(wait, id)
    }
  }

  /** Returns the holders that are behind this snapshot and may still have a valid lease. */
  behind(holders: readonly Holder[], snapshot: string, nowMs: number): string[] {
    return holders
      .filter(
        ({ id, isBehind }) => isBehind && nowMs < this.endsAtMs(id) && !this.#hasAcknowledged(id, snapshot),
      )
      .map(({ id }) => id)
  }

  #hasAcknowledged(id: string, snapshot: string): boolean {
    const acknowledgement = this.#acknowledgements.get(id)
    return acknowledgement !== undefined && covers(acknowledgement, snapshot)
  }

  /** Returns the time at which a holder's lease ends unless it is renewed. */
  endsAtMs(id: string): number {
    return (this.#seen.get(id)?.seenAtMs ?? Number.NEGATIVE_INFINITY) + this.#leaseMs
  }

  /** Returns the holders that did not renew their leases in time. */
  overdue(nowMs: number): Pick<Holder, 'id' | 'renewals'>[] {
    return [...this.#seen]
      .filter(([, { seenAtMs }]) => nowMs >= seenAtMs + this.#leaseMs)
      .map(([id, { renewals }]) => ({ id, renewals }))
  }

  /**
   * Waits until these holders have acknowledged a snapshot. Only reads that were sent at or after `beganAtMs` end the
   * wait, and `beganAtMs` must be after the read that found the holders. Call `end` to stop waiting; it also settles
   * `done`. `remaining` returns the holders that are still awaited.
   */
  wait(
    target: string,
    behind: readonly string[],
    beganAtMs: number,
  ): { readonly done: Promise<void>; readonly end: () => void; readonly remaining: () => readonly string[] } {
    let end = () => {}
    const ids = new Set(behind)
    const done = new Promise<void>((resolve) => {
      const wait: Wait = {
        target,
        beganAtMs,
        remaining: ids,
        settle: () => {
          this.#waits.delete(wait)
          resolve()
        },
      }
      end = wait.settle
      this.#waits.add(wait)
    })
    return { done, end, remaining: () => [...ids] }
  }

  #stopWaitingFor(wait: Wait, id: string): void {
    wait.remaining.delete(id)
    if (wait.remaining.size === 0) wait.settle()
  }
}
