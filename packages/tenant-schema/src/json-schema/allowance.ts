/** The limits for compiling one schema. They depend on the thread that compiles it. */
export interface Allowance {
  /** The maximum cost of its patterns, in units of about 0.1 µs. */
  readonly units: number
  /** True to apply `limits`. False for a stored schema, which was accepted under the limits of its time. */
  readonly isLimited: boolean
}

/** For the event loop: about 10 ms. A worker compiles the schemas that take longer. */
export const onEventLoop: Allowance = { units: 100_000, isLimited: true }

/** For a worker that compiles a new schema. `limits` bound the cost. */
export const newSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: true }

/** For a worker that compiles a stored schema. Nothing else bounds the cost, so limit the worker's time and memory. */
export const storedSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: false }
