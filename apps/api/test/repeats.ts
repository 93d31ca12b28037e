/**
 * Returns how often to repeat a race or a random case. A rare failure needs many rounds. `.ci/run` and `CI=true npm
 * test` run all rounds. `npm test` runs a quarter, so that the author of a change gets a result within minutes.
 */
export const repeats = (all: number): number => (process.env['CI'] ? all : Math.ceil(all / 4))

/** Returns the examples to test: all of them in `.ci/run`, and a quarter in `npm test`, which depends on the seed. */
export const sampled = <T>(all: readonly T[], seed: number): readonly T[] =>
  process.env['CI'] ? all : all.filter((_, i) => (i + seed) % 4 === 0)
