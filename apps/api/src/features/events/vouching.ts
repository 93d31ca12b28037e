import type { Look } from './store.ts'

/** A minute of them, at the distance below: longer transactions are vouched for all at once when they end. */
const maxRemembered = 240
const apartMs = 250

/**
 * Until when everything that happened is known to have been read.
 *
 * A look reads up to the oldest transaction under way, which may be behind what has been committed since. What
 * was committed before some look began is of a transaction before that look's end; once a later look reads up to
 * there, everything from before the earlier look is read. With nothing under way, a look vouches for itself.
 */
export function createVouching() {
  const looks: { at: number; end: bigint }[] = []
  let vouchedAt = Number.NEGATIVE_INFINITY

  return {
    /** Notes a look that began at `at`; returns until when everything has been read. */
    looked(at: number, { horizon, end, isAll }: Pick<Look, 'horizon' | 'end' | 'isAll'>): number {
      if (!isAll) return vouchedAt
      while (looks[0] && looks[0].end <= horizon) vouchedAt = looks.shift()?.at ?? vouchedAt
      if (end <= horizon) vouchedAt = at
      else if (at - (looks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= apartMs) looks.push({ at, end })
      if (looks.length > maxRemembered) looks.shift()
      return vouchedAt
    },
  }
}
