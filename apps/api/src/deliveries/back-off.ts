import { backOffMs } from '#platform/async'

/**
 * Returns the pause after this many failures in a row. A receiver that recovers is found within a quarter of an hour, and
 * one that does not gets about a hundred attempts a day.
 */
export const deliveryBackOffMs = (failures: number): number =>
  backOffMs(failures, { firstMs: 1_000, maxMs: 15 * 60_000 })
