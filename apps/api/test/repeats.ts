/**
 * Returns how often to repeat a race or a random case. A race that is lost rarely needs many rounds: `.ci/run` takes
 * all of them, and `npm test` a quarter, so that the author of a change has a result within minutes. `CI=true npm test`
 * takes all.
 */
export const repeats = (all: number): number => (process.env['CI'] ? all : Math.ceil(all / 4))
