import { backOffMs } from '#platform/async'

/**
 * Returns the pause after this many consecutive failures. Deliveries resume within 15 minutes of a receiver's recovery,
 * and a receiver that stays down gets about a hundred attempts a day.
 */
export const deliveryBackOffMs = (failures: number): number =>
  backOffMs(failures, { firstMs: 1_000, maxMs: 15 * 60_000 })
