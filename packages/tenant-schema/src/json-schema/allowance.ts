/** Limits the cost of compiling one schema, by the thread that compiles it. */
export interface Allowance {
  /** Units of about a tenth of a microsecond that its patterns may take. */
  readonly units: number
  /** False for schemas that were stored under other limits: time and memory bound them instead. */
  readonly isLimited: boolean
}

/** About 10 ms. A worker compiles schemas that take longer. */
export const onEventLoop: Allowance = { units: 100_000, isLimited: true }

/** For a worker that compiles a new schema, which the limits bound. */
export const newSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: true }

/** For a worker that compiles a stored schema. Its thread must be bounded in time and memory. */
export const storedSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: false }
