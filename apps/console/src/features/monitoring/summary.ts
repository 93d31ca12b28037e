import type { Latency } from '@rolecall/sdk/admin'

type Measured = Pick<Latency, 'count' | 'clientErrors' | 'serverErrors' | 'measured' | 'took'>

/** The answers of all endpoints together. */
export interface Summary {
  readonly count: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly measured: number
  /** Null if it is longer than the last bound of the histogram. */
  readonly p95Ms: number | null
}

/**
 * Adds the endpoints up, and reads the 95th percentile of all of them from the sum of their histograms, which have these
 * upper bounds.
 */
export function summaryOf(rows: readonly Measured[], boundsMs: readonly number[]): Summary {
  const sum = (of: (row: Measured) => number) => rows.reduce((total, row) => total + of(row), 0)
  const measured = sum((row) => row.measured)
  let reached = 0
  const place = boundsMs.findIndex((_, cell) => {
    reached += sum(({ took }) => took[cell] ?? 0)
    return reached >= measured * 0.95
  })
  return {
    count: sum((row) => row.count),
    clientErrors: sum((row) => row.clientErrors),
    serverErrors: sum((row) => row.serverErrors),
    measured,
    p95Ms: boundsMs[place] ?? null,
  }
}
