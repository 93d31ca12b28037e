/** What compiling one schema may cost where it is compiled. */
export interface Allowance {
  /** Units of about a tenth of a microsecond that its patterns may take. */
  readonly units: number
  /** False for what was stored before there were the limits of today: time and memory bound it instead. */
  readonly isLimited: boolean
}

/** Some 10 ms; what takes longer is for a worker. */
export const onEventLoop: Allowance = { units: 100_000, isLimited: true }

/** Whatever keeps to the limits. */
export const newSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: true }

/** Only where something else bounds time and memory. */
export const storedSchema: Allowance = { units: Number.POSITIVE_INFINITY, isLimited: false }
