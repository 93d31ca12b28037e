import { mulberry32 } from '../../../tools/mulberry32.js'

/** Creates a source of random values from a seed, so that a run can be repeated. */
export function createRandom(seed: number) {
  const next = mulberry32(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const one = <T>(list: readonly T[]): T | undefined => list[below(list.length)]

  return {
    below,
    between: (from: number, to: number) => from + below(to - from),
    chance: (part: number) => next() < part,
    one,
    /** Returns up to `most` different values. */
    some: <T>(list: readonly T[], most: number): T[] => [
      ...new Set(Array.from({ length: below(most + 1) }, () => one(list) as T)),
    ],
    weighted: <T>(choices: readonly (readonly [weight: number, value: T])[]): T => {
      let at = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      const found = choices.find(([weight]) => {
        at -= weight
        return at < 0
      })
      return (found ?? choices[0])?.[1] as T
    },
  }
}

export type Random = ReturnType<typeof createRandom>
