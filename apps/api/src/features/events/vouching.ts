import type { EventsRead } from './store.ts'

/**
 * The maximum number of remembered reads, which is one minute at the distance below. For longer transactions, the
 * vouched moment advances in one step when they end.
 */
const maxRemembered = 240
const apartMs = 250

/**
 * Tracks the moment up to which every event is known to have been read.
 *
 * A read goes up to the oldest transaction in progress, which may be behind later commits. A commit before the start of
 * a read belongs to a transaction before the end of that read. Once a later read goes up to that end, everything before
 * the earlier read has been read. With no transaction in progress, a read vouches for itself.
 */
export function createVouching() {
  const looks: { at: number; end: bigint }[] = []
  let vouchedAt = Number.NEGATIVE_INFINITY

  return {
    /** Records a read that started at `at`. Returns the moment up to which everything has been read. */
    advance(at: number, { horizon, end, isAll }: Pick<EventsRead, 'horizon' | 'end' | 'isAll'>): number {
      if (!isAll) return vouchedAt
      while (looks[0] && looks[0].end <= horizon) vouchedAt = looks.shift()?.at ?? vouchedAt
      if (end <= horizon) vouchedAt = at
      else if (at - (looks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= apartMs) looks.push({ at, end })
      if (looks.length > maxRemembered) looks.shift()
      return vouchedAt
    },
  }
}
