import { durationBuckets } from '#platform/metrics/request-metrics'
import type { UsageCount } from './store.ts'

const minuteMs = 60_000

/** The counter of one route, project, and status in the current interval. */
interface Counter {
  n: number
  /** The number of requests in each histogram bucket of the duration. */
  readonly took: Uint32Array
}

/**
 * Counts requests by minute, project, route, and status. To count a request takes only three lookups and an addition.
 * The minute is determined later, by `close`.
 */
export class UsageCounts {
  readonly #most: number
  #routes = new Map<string, Map<string, Map<number, Counter>>>()
  /** The closed counts, including restored ones, by minute, project, status, and route. */
  #kept = new Map<string, UsageCount>()
  #size = 0
  #dropped = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a request. `bucket` is the histogram bucket of its duration, or -1 if the duration was not measured. */
  add(route: string, projectId: string, status: number, bucket: number): void {
    const counter =
      this.#routes.get(route)?.get(projectId)?.get(status) ?? this.#begin(route, projectId, status)
    if (!counter) return
    counter.n += 1
    if (bucket >= 0) counter.took[bucket] = (counter.took[bucket] ?? 0) + 1
  }

  #begin(route: string, projectId: string, status: number): Counter | undefined {
    if (this.#size + this.#kept.size >= this.#most) {
      this.#dropped += 1
      return undefined
    }
    const projects = this.#routes.get(route) ?? new Map<string, Map<number, Counter>>()
    this.#routes.set(route, projects)
    const statuses = projects.get(projectId) ?? new Map<number, Counter>()
    projects.set(projectId, statuses)
    const counter = { n: 0, took: new Uint32Array(durationBuckets) }
    statuses.set(status, counter)
    this.#size += 1
    return counter
  }

  /** Closes the current counts: assigns them to the minute of `at`, by a monotonic clock. */
  close(at: number): void {
    if (this.#size === 0) return
    for (const [route, projects] of this.#routes)
      for (const [projectId, statuses] of projects)
        for (const [status, { n, took }] of statuses)
          this.restore({ at, projectId, route, status, count: n, took: [...took] })
    this.#routes = new Map()
    this.#size = 0
  }

  /** Removes and returns all closed counts. */
  drain(): UsageCount[] {
    const taken = [...this.#kept.values()]
    this.#kept = new Map()
    return taken
  }

  /** Puts back a count that could not be written. */
  restore(count: UsageCount): void {
    const key = `${Math.floor(count.at / minuteMs)}|${count.projectId}|${count.status}|${count.route}`
    const known = this.#kept.get(key)
    if (known) this.#kept.set(key, together(known, count))
    else if (this.#kept.size < this.#most) this.#kept.set(key, count)
    else this.#dropped += count.count
  }

  /**
   * Returns the number of buffered rows, and the number of requests that were dropped because there were too many rows.
   */
  state() {
    return { rows: this.#size + this.#kept.size, dropped: this.#dropped }
  }
}

const together = (one: UsageCount, other: UsageCount): UsageCount => ({
  ...one,
  count: one.count + other.count,
  took: one.took.map((count, bucket) => count + (other.took[bucket] ?? 0)),
})
