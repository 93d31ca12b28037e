/** Numbers that a seed decides (mulberry32), so that a run can be had again. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const one = <T>(list: readonly T[]): T | undefined => list[below(list.length)]

  return {
    below,
    between: (from: number, to: number) => from + below(to - from),
    chance: (part: number) => next() < part,
    one,
    /** Up to `most` different ones. */
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
