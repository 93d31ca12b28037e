/**
 * Returns how often to repeat a race or a random case. A race that is lost rarely needs many rounds: `.ci/run` takes
 * all of them, and `npm test` a quarter, so that the author of a change has a result within minutes. `CI=true npm test`
 * takes all.
 */
export const repeats = (all: number): number => (process.env['CI'] ? all : Math.ceil(all / 4))

/** Returns the examples to try: all of them in `.ci/run`, and in `npm test` a quarter, another one for each seed. */
export const sampled = <T>(all: readonly T[], seed: number): readonly T[] =>
  process.env['CI'] ? all : all.filter((_, i) => (i + seed) % 4 === 0)
