/** Starts `count` calls in one turn of the event loop, and waits for all results. */
export const atOnce = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

/** Returns the number of occurrences of each value. */
export const tally = (values: readonly (string | number)[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]),
  )
