import { latency } from '@rolecall/contract'

/** The upper bounds of the duration buckets, in microseconds. */
const boundsUs = latency.latencyBoundsMs.map((ms) => ms * 1_000)
/** The number of duration buckets. The last one is for durations above all bounds. */
export const durationBuckets = boundsUs.length + 1
/**
 * The cells that follow the buckets: the number of measured responses, the sum of their durations, and the number of
 * all responses.
 */
const measured = durationBuckets
const sumUs = measured + 1
const answers = sumUs + 1

/** The figures of one route and status. */
export interface RequestCounts {
  readonly route: string
  readonly status: number
  /** The number of all responses, including those that were not measured because no endpoint matched. */
  readonly count: number
  readonly measured: number
  readonly seconds: number
  /** For each bound in seconds: the number of responses that took no longer. */
  readonly atMost: readonly (readonly [seconds: number, count: number])[]
}

/** Counts requests and measures how long they take. Costs two readings of the clock and a few additions per request. */
export interface RequestMetrics {
  /** Returns the time to pass to `ended`. It is never 0. */
  began(): number
  /**
   * Counts a response. `startedAtUs` is 0 for a request that `began` was not called for. Returns the bucket of its
   * duration, or -1 if it was not measured.
   */
  ended(route: string, status: number, startedAtUs: number): number
  inFlight(): number
  counts(): RequestCounts[]
}

/**
 * Creates the request metrics. They allocate nothing per request: counters are cells of a number array, and times are
 * 32-bit integers in microseconds, for which the engine needs no object. Such a time overflows after 71 minutes. So
 * does the difference of two times, and it is therefore correct for durations of up to half of that.
 */
export function createRequestMetrics(now = () => performance.now()): RequestMetrics {
  const routes = new Map<string, Map<number, Float64Array>>()
  let inFlight = 0
  const moment = () => (now() * 1_000) | 1

  return {
    began() {
      inFlight += 1
      return moment()
    },
    ended(route, status, startedAtUs) {
      const cells = cellsOf(routes, route, status)
      cells[answers] = (cells[answers] as number) + 1
      if (startedAtUs === 0) return -1
      inFlight -= 1
      const tookUs = (moment() - startedAtUs) | 0
      let bucket = 0
      while (bucket < boundsUs.length && tookUs > (boundsUs[bucket] as number)) bucket++
      cells[bucket] = (cells[bucket] as number) + 1
      cells[measured] = (cells[measured] as number) + 1
      cells[sumUs] = (cells[sumUs] as number) + tookUs
      return bucket
    },
    inFlight: () => inFlight,
    counts: () =>
      [...routes].flatMap(([route, statuses]) =>
        [...statuses].map(([status, cells]) => ({ route, status, ...readCells(cells) })),
      ),
  }
}

function cellsOf(routes: Map<string, Map<number, Float64Array>>, route: string, status: number) {
  const known = routes.get(route)?.get(status)
  if (known) return known
  const cells = new Float64Array(answers + 1)
  const statuses = routes.get(route) ?? new Map<number, Float64Array>()
  routes.set(route, statuses.set(status, cells))
  return cells
}

function readCells(cells: Float64Array): Omit<RequestCounts, 'route' | 'status'> {
  let total = 0
  const atMost = boundsUs.map((bound, i) => {
    total += cells[i] ?? 0
    return [bound / 1e6, total] as const
  })
  return {
    count: cells[answers] ?? 0,
    measured: cells[measured] ?? 0,
    seconds: (cells[sumUs] ?? 0) / 1e6,
    atMost,
  }
}
