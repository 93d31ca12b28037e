/** Mean interval between the claims of all instances together, which share the work. */
const everyMs = 125
/** Minimum mean interval between the claims of one instance. */
const minEveryMs = 250
/** Maximum mean interval between the claims of one instance, in case it counts instances that have stopped. */
const maxEveryMs = 5_000

/**
 * Returns the pause before the next claim of one instance. It is partly random, so that instances that start together
 * do not claim together.
 */
export function claimPauseMs(instances: number, random: () => number = Math.random): number {
  const meanMs = Math.min(Math.max(minEveryMs, everyMs * instances), maxEveryMs)
  return instances === 1 ? meanMs : meanMs * (0.5 + random())
}
