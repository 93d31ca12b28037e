import type { EventsRead } from './store.ts'

/**
 * The maximum number of remembered reads: those of a minute. During a longer transaction, the oldest are dropped, and
 * the vouched moment advances in larger steps when it ends.
 */
const maxReads = 240
/** The minimum interval between two remembered reads. */
const minIntervalMs = 250

/**
 * Tracks the moment up to which every committed event has certainly been read.
 *
 * A read returns events only up to its horizon, the oldest transaction in progress. Later transactions may have
 * committed already. Everything that was committed before a read started belongs to a transaction before the `end` of
 * that read. So once the horizon of a later read reaches that end, everything up to the start of the earlier read has
 * been read.
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
