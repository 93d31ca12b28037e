import type { Holder } from './change-log-store.ts'
import { unknownHolder } from './change-log-store.ts'
import { covers } from './snapshot.ts'

/** A change with a response that must wait until every holder has applied it, or no longer holds a lease. */
interface Wait {
  readonly target: string
  readonly beganAtMs: number
  readonly behind: Set<string>
  readonly settle: () => void
}

interface Seen {
  readonly renewals: number
  /** The time at which this count was first seen, by this process's monotonic clock. */
  readonly seenAtMs: number
}

/** The times of a read, by this process's monotonic clock. */
export interface ReadTimes {
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

/**
 * Tracks the other processes that serve from memory, as this one has seen them. No wall clock is involved: a lease
 * that was last renewed before a moment has ended when its length has passed since that moment, on every clock that
 * runs at the same rate.
 */
export class Holders {
  readonly #leaseMs: number
  readonly #seen = new Map<string, Seen>()
  /**
   * The last acknowledgement of each that its row did not have at the last read: it may arrive before the answer of a
   * read with an older snapshot, and through the cache before the row has it.
   */
  readonly #heard = new Map<string, string>()
  readonly #waits = new Set<Wait>()

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#seen.size
  }

  get heard(): ReadonlyMap<string, string> {
    return this.#heard
  }

  /**
   * Notes the holders that a read found. The read ends only waits that began before it was sent: an earlier snapshot
   * may not have the awaited change, or the row of a holder that has joined since. After a crash of the database server
   * a missing row ends none either: its holder may still have a lease.
   */
  observe(holders: readonly Holder[], { sentAtMs, answeredAtMs }: ReadTimes): void {
    const known = new Map(holders.map((holder) => [holder.id, holder]))
    const hasCrashed = known.get(unknownHolder)?.renewals === 0
    const hasLeft = (id: string) => !known.has(id) && !hasCrashed
    for (const [id, { seenAtMs }] of this.#seen) {
      if (hasLeft(id) && seenAtMs <= sentAtMs) this.#seen.delete(id)
    }
    for (const id of this.#heard.keys()) if (hasLeft(id)) this.#heard.delete(id)
    for (const { id, renewals, acknowledged } of holders) {
      const heard = this.#heard.get(id)
      if (heard !== undefined && covers(acknowledged, heard)) this.#heard.delete(id)
      if (id === unknownHolder && renewals > 0) this.#seen.delete(id)
      else if (this.#seen.get(id)?.renewals !== renewals)
        this.#seen.set(id, { renewals, seenAtMs: answeredAtMs })
    }
    for (const wait of this.#waits) {
      if (wait.beganAtMs > sentAtMs) continue
      for (const id of wait.behind) {
        const holder = known.get(id)
        const hasPassed = holder
          ? !holder.isBehind || (id !== unknownHolder && covers(holder.acknowledged, wait.target))
          : hasLeft(id)
        if (hasPassed) this.#passed(wait, id)
      }
    }
  }

  /** Notes that a holder has applied a snapshot. */
  acknowledged(id: string, snapshot: string): void {
    const before = this.#heard.get(id)
    if (before === undefined || covers(snapshot, before)) this.#heard.set(id, snapshot)
    for (const wait of this.#waits) {
      if (wait.behind.has(id) && covers(snapshot, wait.target)) this.#passed(wait, id)
    }
  }

  /** Returns the holders that are behind this snapshot and may still have a valid lease. */
  behind(holders: readonly Holder[], snapshot: string, nowMs: number): string[] {
    return holders
      .filter(({ id, isBehind }) => isBehind && nowMs < this.endsAtMs(id) && !this.#hasSaid(id, snapshot))
      .map(({ id }) => id)
  }

  #hasSaid(id: string, snapshot: string): boolean {
    const heard = this.#heard.get(id)
    return heard !== undefined && covers(heard, snapshot)
  }

  /** Returns the end of a holder's lease without a renewal. */
  endsAtMs(id: string): number {
    return (this.#seen.get(id)?.seenAtMs ?? Number.NEGATIVE_INFINITY) + this.#leaseMs
  }

  /** Returns the holders with leases that ended for lack of a renewal. */
  overdue(nowMs: number): Pick<Holder, 'id' | 'renewals'>[] {
    return [...this.#seen]
      .filter(([, { seenAtMs }]) => nowMs >= seenAtMs + this.#leaseMs)
      .map(([id, { renewals }]) => ({ id, renewals }))
  }

  /**
   * Waits for the acknowledgements of a snapshot, from a time after the read that found it. `end` gives up; it is called
   * when the leases have ended.
   */
  wait(
    target: string,
    behind: readonly string[],
    beganAtMs: number,
  ): { readonly done: Promise<void>; readonly end: () => void; readonly left: () => readonly string[] } {
    let end = () => {}
    const ids = new Set(behind)
    const done = new Promise<void>((resolve) => {
      const wait: Wait = {
        target,
        beganAtMs,
        behind: ids,
        settle: () => {
          this.#waits.delete(wait)
          resolve()
        },
      }
      end = wait.settle
      this.#waits.add(wait)
    })
    return { done, end, left: () => [...ids] }
  }

  #passed(wait: Wait, id: string): void {
    wait.behind.delete(id)
    if (wait.behind.size === 0) wait.settle()
  }
}
