/**
 * The maximum number of first words. All others share one, so that a caller that invents words cannot fill the memory.
 */
const maxWords = 500
const others = 'other'

/** Counts by two words: the subject, and the outcome. */
export interface Tally {
  count(of: string, outcome: string, times?: number): void
  counts(): { readonly of: string; readonly outcome: string; readonly count: number }[]
}

/** Creates a tally. A count costs two lookups and an addition, because it delays requests. */
export function createTally(): Tally {
  const words = new Map<string, Map<string, { count: number }>>()
  const outcomesOf = (of: string) => {
    const known = words.get(of)
    if (known) return known
    const outcomes = new Map<string, { count: number }>()
    words.set(of, outcomes)
    return outcomes
  }
  return {
    count(of, outcome, times = 1) {
      const outcomes = words.get(of) ?? outcomesOf(words.size < maxWords ? of : others)
      const known = outcomes.get(outcome)
      if (known) known.count += times
      else outcomes.set(outcome, { count: times })
    },
    counts: () =>
      [...words].flatMap(([of, outcomes]) =>
        [...outcomes].map(([outcome, { count }]) => ({ of, outcome, count })),
      ),
  }
}
