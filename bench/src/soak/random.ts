import { mulberry32 } from '../../../tools/mulberry32.js'

/** Creates a source of random choices from a seed, so that the faults and choices of a run can be repeated. */
export function createRandom(seed: number) {
  const next = mulberry32(seed)
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
    /** Returns one of the values, with a probability that is proportional to its weight. */
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
