import type { Holder } from './change-log-store.ts'
import { unknownHolder } from './change-log-store.ts'
import { covers } from './snapshot.ts'

/**
 * A writer's wait for holders that had not applied its snapshot. It ends when each of them has applied the snapshot or
 * has lost its lease.
 */
interface Wait {
  /** The snapshot that the holders must apply. */
  readonly target: string
  readonly beganAtMs: number
  /** The holders that are still awaited. */
  readonly remaining: Set<string>
  readonly settle: () => void
}

interface Observation {
  readonly renewals: number
  /** The time at which a read first returned this number of renewals, by this process's monotonic clock. */
  readonly observedAtMs: number
}

/** The times at which a read was sent and its response arrived, by this process's monotonic clock. */
export interface ReadTimes {
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/**
 * Tracks the leases of the other processes. Clocks of different machines are never compared: a lease counts as ended
 * when this process has seen the same number of renewals for the full duration of a lease.
 */
export class Holders {
  readonly #leaseMs: number
  readonly #observations = new Map<string, Observation>()
  /**
   * The latest acknowledgement of each holder, until a read finds it in the holder's row. An acknowledgement can arrive
   * through the cache before it is in the row, or before the response of an earlier read.
   */
  readonly #acknowledgements = new Map<string, string>()
  readonly #waits = new Set<Wait>()

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#observations.size
  }

  get acknowledgementsByHolder(): ReadonlyMap<string, string> {
    return this.#acknowledgements
  }

  /**
   * Records the holders that a read found. The read completes only waits that began before it was sent, because an
   * older read may lack the awaited change, or the row of a holder that joined later. A holder whose row is gone is no
   * longer awaited. The exception is a crash of the database server, which may delete the rows of valid leases:
   * `unknownHolder` then has no renewals.
   */
  observe(holders: readonly Holder[], { sentAtMs, receivedAtMs }: ReadTimes): void {
    const byId = new Map(holders.map((holder) => [holder.id, holder]))
    const hasCrashed = byId.get(unknownHolder)?.renewals === 0
    const hasEnded = (id: string) => !byId.has(id) && !hasCrashed
    for (const [id, { observedAtMs }] of this.#observations) {
      if (hasEnded(id) && observedAtMs <= sentAtMs) this.#observations.delete(id)
    }
    for (const id of this.#acknowledgements.keys()) if (hasEnded(id)) this.#acknowledgements.delete(id)
    for (const { id, renewals, acknowledged } of holders) {
      const acknowledgement = this.#acknowledgements.get(id)
      if (acknowledgement !== undefined && covers(acknowledged, acknowledgement))
        this.#acknowledgements.delete(id)
      // The unknown leases from before a crash have ended, and `deleteOverdueLease` has marked it.
      if (id === unknownHolder && renewals > 0) this.#observations.delete(id)
      else if (this.#observations.get(id)?.renewals !== renewals)
        this.#observations.set(id, { renewals, observedAtMs: receivedAtMs })
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

  /** Returns the holders that may have a valid lease and have not applied this snapshot. */
  listBehind(holders: readonly Holder[], snapshot: string, nowMs: number): string[] {
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

  /** Returns the time at which a holder's lease ends, unless the holder renews it. */
  endsAtMs(id: string): number {
    return (this.#observations.get(id)?.observedAtMs ?? Number.NEGATIVE_INFINITY) + this.#leaseMs
  }

  /** Returns the holders that have not renewed their leases in time. */
  listOverdue(nowMs: number): Pick<Holder, 'id' | 'renewals'>[] {
    return [...this.#observations]
      .filter(([, { observedAtMs }]) => nowMs >= observedAtMs + this.#leaseMs)
      .map(([id, { renewals }]) => ({ id, renewals }))
  }

  /**
   * Waits until these holders have acknowledged a snapshot. `beganAtMs` must be after the read that found the holders:
   * only later reads end the wait. `remaining` returns the holders that are still awaited. `end` stops the wait, and
   * settles `done`.
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
