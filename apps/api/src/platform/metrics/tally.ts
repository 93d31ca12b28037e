/** Beyond so many first words all others are one: whoever makes words must not fill the memory. */
const mostWords = 500
const others = 'other'

/** Counts by two words: of what, and how it ended. */
export interface Tally {
  count(of: string, outcome: string, times?: number): void
  counts(): { readonly of: string; readonly outcome: string; readonly count: number }[]
}

/** Counting is two look-ups and an addition: it stands in the way of requests. */
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
      const outcomes = words.get(of) ?? outcomesOf(words.size < mostWords ? of : others)
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
