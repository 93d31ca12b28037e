import { backOffMs } from '../async.ts'

/**
 * How long a receiver that failed so many times in a row, this time counted, is left alone. One that is back is found
 * within a quarter of an hour, and one that is not is asked some hundred times a day.
 */
export const deliveryBackOffMs = (failures: number): number =>
  backOffMs(failures, { firstMs: 1_000, maxMs: 15 * 60_000 })
