import type { EventsRead } from './store.ts'

/**
 * The maximum number of remembered reads, which is those of a minute. During a transaction of more than a minute, the
 * oldest reads are dropped. The moment then advances in one larger step when the transaction ends.
 */
const maxReads = 240
/** The minimum interval between two remembered reads. */
const minIntervalMs = 250

/**
 * Tracks the moment up to which every committed event has certainly been read. Heartbeats report it.
 *
 * A read returns events only up to its horizon, the oldest transaction in progress, although later transactions may
 * have been committed already. Everything that was committed before a read started belongs to a transaction before the
 * `end` of that read. So when the horizon of a later read reaches this `end`, everything up to the start of the earlier
 * read has been read.
 */
export function createVouching() {
  const reads: { at: number; end: bigint }[] = []
  let vouchedAt = Number.NEGATIVE_INFINITY

  return {
    /** Records a read that started at `at`. Returns the moment up to which everything has been read. */
    advance(at: number, { horizon, end, isAll }: Pick<EventsRead, 'horizon' | 'end' | 'isAll'>): number {
      if (!isAll) return vouchedAt
      while (reads[0] && reads[0].end <= horizon) vouchedAt = reads.shift()?.at ?? vouchedAt
      if (end <= horizon) vouchedAt = at
      else if (at - (reads.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= minIntervalMs) reads.push({ at, end })
      if (reads.length > maxReads) reads.shift()
      return vouchedAt
    },
  }
}
