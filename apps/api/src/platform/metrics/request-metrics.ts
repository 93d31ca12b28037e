import { latency } from '@rolecall/contract'

/** Upper bounds of the duration buckets, in microseconds. */
const boundsUs = latency.latencyBoundsMs.map((ms) => ms * 1_000)
/** The number of buckets of a duration, with one for durations beyond the last bound. */
export const durationBuckets = boundsUs.length + 1
/**
 * The cells after the buckets, because the last one has no bound: the number of measured responses, their sum, and all
 * responses.
 */
const measured = durationBuckets
const sumUs = measured + 1
const answers = sumUs + 1

/** The counts of one route and status. */
export interface RequestCounts {
  readonly route: string
  readonly status: number
  /** The number of all responses, including unmeasured ones (no endpoint matched). */
  readonly count: number
  readonly measured: number
  readonly seconds: number
  /** For each bound in seconds, the number of responses within it. */
  readonly atMost: readonly (readonly [seconds: number, count: number])[]
}

/** Counts requests and measures their durations, with two clock readings and a few additions per request. */
export interface RequestMetrics {
  /** Returns the time to pass to `ended`; never 0. */
  began(): number
  /**
   * Counts a response. `startedAtUs` is 0 for a request that never began. Returns the bucket of its duration; -1 if it
   * was not measured.
   */
  ended(route: string, status: number, startedAtUs: number): number
  inFlight(): number
  counts(): RequestCounts[]
}

/**
 * Creates request metrics without an allocation per request: counters are cells of an array of numbers, found by two
 * lookups, and times are 32-bit counts of microseconds, which the engine stores without an object. They overflow after
 * 71 minutes, and so does their difference, which is therefore correct for durations of up to half that time.
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
