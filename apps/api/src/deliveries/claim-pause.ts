/** The mean interval between two claims by any instance. With more instances, each one claims less often. */
const everyMs = 125
/** The shortest mean interval between two claims by the same instance. */
const minEveryMs = 250
/** The longest one. It applies if an instance counts many others that have actually stopped. */
const maxEveryMs = 5_000

/**
 * Returns the pause in milliseconds before the next claim of this instance. Unless it is alone, the pause is random, so
 * that instances that started together do not claim together.
 */
export function claimPauseMs(instances: number, random: () => number = Math.random): number {
  const meanMs = Math.min(Math.max(minEveryMs, everyMs * instances), maxEveryMs)
  return instances === 1 ? meanMs : meanMs * (0.5 + random())
}
