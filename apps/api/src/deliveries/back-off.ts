import { backOffMs } from '#platform/async'

/**
 * Returns the pause in milliseconds after a number of failures in a row, up to 15 minutes. So deliveries resume within
 * 15 minutes after a receiver has recovered, and a receiver that stays down gets about a hundred attempts per day.
 */
export const deliveryBackOffMs = (failures: number): number =>
  backOffMs(failures, { firstMs: 1_000, maxMs: 15 * 60_000 })
