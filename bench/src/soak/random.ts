/** Numbers that a seed decides (mulberry32), so that a run's faults and choices can be had again. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    between: (from: number, to: number) => from + next() * (to - from),
    chance: (part: number) => next() < part,
    one: <T>(list: readonly T[]): T => {
      const found = list[below(list.length)]
      if (found === undefined) throw new Error('There is nothing to choose from.')
      return found
    },
    /** One of the values, each as likely as its weight says. */
    weighted: <T>(choices: readonly (readonly [weight: number, value: T])[]): T => {
      let at = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of choices) {
        at -= weight
        if (at < 0) return value
      }
      throw new Error('There is nothing to choose from.')
    },
  }
}

export type Random = ReturnType<typeof createRandom>
