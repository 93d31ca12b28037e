/** Limits the cost of compiling one schema, depending on the thread that compiles it. */
export interface Allowance {
  /** Maximum cost of its patterns, in units of about a tenth of a microsecond. */
  readonly units: number
  /** False for schemas that were stored under other limits. The time and memory of a thread bound these. */
  readonly isLimited: boolean
}

/** About 10 ms. A worker compiles schemas that take longer. */
export const onEventLoop: Allowance = { units: 100_000, isLimited: true }

/** For a worker that compiles a new schema, which the limits bound. */
export const newSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: true }

/** For a worker that compiles a stored schema. Its thread must be bounded in time and memory. */
export const storedSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: false }
