/**
 * The maximum number of subjects. All further ones share one entry, so that invented subjects cannot fill the memory.
 */
const maxWords = 500
const others = 'other'

/** Counts outcomes by subject, for example the responses of each protected host. */
export interface Tally {
  count(of: string, outcome: string, times?: number): void
  counts(): { readonly of: string; readonly outcome: string; readonly count: number }[]
}

/** Creates a tally. Counting happens during requests, so it costs only two lookups and an addition. */
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
