import { latency } from '@rolecall/contract'
import { readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import { type LatencyRow, sumLatency } from './latency-store.ts'
import { readUsagePeriod } from './usage-chart-store.ts'

/**
 * Returns the response times in a period by route or project. The default period is the last day.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
export async function readLatency({ db }: Pick<Deps, 'db'>, query: latency.LatencyQuery) {
  const { projectId = null, route = null, groupBy = 'route', limit = 100 } = query
  const { from, to } = readPeriod(query, 'from', 'to')
  const period = await readUsagePeriod(db, {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  })
  const rows = await sumLatency(
    db,
    { ...period, projectId, routes: route, statusClass: null },
    groupBy,
    limit,
  )
  return { ...period, boundsMs: [...latency.latencyBoundsMs], data: rows.map(toLatency) }
}

/** Adds the percentiles. Each is the bound of a histogram cell, in milliseconds. */
function toLatency({ took, ...row }: LatencyRow): latency.Latency {
  const measured = took.reduce((sum, count) => sum + count, 0)
  return {
    ...row,
    measured,
    p50Ms: boundOf(took, measured * 0.5),
    p95Ms: boundOf(took, measured * 0.95),
    p99Ms: boundOf(took, measured * 0.99),
    took: [...took],
  }
}

/**
 * Returns the lowest bound within which this number of requests was answered. Returns null if the number is 0, or if
 * the requests took longer than the last bound.
 */
function boundOf(took: readonly number[], wanted: number): number | null {
  if (wanted === 0) return null
  let within = 0
  const place = took.findIndex((count) => {
    within += count
    return within >= wanted
  })
  return latency.latencyBoundsMs[place] ?? null
}
