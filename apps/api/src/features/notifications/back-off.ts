const firstMs = 1_000
/** A webhook that is back is found within this time, and one that is not is asked some hundred times a day. */
const longestMs = 15 * 60_000

/**
 * How long to wait after so many failures in a row: doubling, up to a quarter of an hour. Half of it is chance,
 * so that what failed together does not come back together.
 */
export function backOffMs(failures: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20))
  return whole / 2 + (Math.random() * whole) / 2
}
