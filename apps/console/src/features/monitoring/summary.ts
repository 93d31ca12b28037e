import type { Latency } from '@rolecall/sdk/admin'

type Measured = Pick<Latency, 'count' | 'clientErrors' | 'serverErrors' | 'measured' | 'took'>

/** The figures of all endpoints together. */
export interface Summary {
  readonly count: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly measured: number
  /** The 95th percentile of the response times. Null if it is longer than the last bound of the histogram. */
  readonly p95Ms: number | null
}

/**
 * Returns the figures of all endpoints together. The 95th percentile comes from the sum of their histograms.
 *
 * @param boundsMs the upper bounds of the histograms' cells
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

/** Counts the entries that wait in all queues. The outbox is not one of them: it keeps each event for a day. */
export const waitingIn = (queues: readonly { readonly name: string; readonly waiting: number }[]): number =>
  queues.reduce((total, { name, waiting }) => (name === 'outbox' ? total : total + waiting), 0)
