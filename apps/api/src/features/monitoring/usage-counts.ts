import type { UsageCount } from './store.ts'

const minuteMs = 60_000

interface Counter {
  n: number
}

/**
 * Counts requests by minute, project, route and status. Counting is three look-ups and an addition, so that it
 * costs a request nothing that could be noticed; names are only put together when the counts are taken.
 */
export class UsageCounts {
  readonly #most: number
  #routes = new Map<string, Map<string, Map<number, Counter>>>()
  /** Of earlier minutes, or taken and given back: by minute, project, status and route. */
  #kept = new Map<string, UsageCount>()
  #size = 0
  #dropped = 0

  constructor(most: number) {
    this.#most = most
  }

  add(route: string, projectId: string, status: number): void {
    const counter = this.#routes.get(route)?.get(projectId)?.get(status)
    if (counter) counter.n += 1
    else this.#begin(route, projectId, status)
  }

  #begin(route: string, projectId: string, status: number) {
    if (this.#size + this.#kept.size >= this.#most) {
      this.#dropped += 1
      return
    }
    const projects = this.#routes.get(route) ?? new Map<string, Map<number, Counter>>()
    this.#routes.set(route, projects)
    const statuses = projects.get(projectId) ?? new Map<number, Counter>()
    projects.set(projectId, statuses)
    statuses.set(status, { n: 1 })
    this.#size += 1
  }

  /** Puts what was counted so far down to the moment `at`, of a clock that never jumps. */
  close(at: number): void {
    if (this.#size === 0) return
    for (const [route, projects] of this.#routes)
      for (const [projectId, statuses] of projects)
        for (const [status, { n }] of statuses) this.giveBack({ at, projectId, route, status, count: n })
    this.#routes = new Map()
    this.#size = 0
  }

  /** Everything that was put down, which is no longer kept here. */
  take(): UsageCount[] {
    const taken = [...this.#kept.values()]
    this.#kept = new Map()
    return taken
  }

  /** Keeps a count that could not be written. */
  giveBack(count: UsageCount): void {
    const key = `${Math.floor(count.at / minuteMs)}|${count.projectId}|${count.status}|${count.route}`
    const known = this.#kept.get(key)
    if (known) this.#kept.set(key, { ...known, count: known.count + count.count })
    else if (this.#kept.size < this.#most) this.#kept.set(key, count)
    else this.#dropped += count.count
  }

  /** Rows that are kept, and requests that were not counted because there were too many rows. */
  state() {
    return { rows: this.#size + this.#kept.size, dropped: this.#dropped }
  }
}
