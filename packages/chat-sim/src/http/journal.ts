import type { Caller } from './caller.ts'
import type { RouteName } from './route-names.ts'

/** One request that the simulator has received, with the status of its reply. */
export interface JournalEntry {
  /** The time of the request in milliseconds since 1970, by the simulator's clock. */
  at: number
  method: string
  path: string
  query: string
  route: RouteName
  auth: Caller['kind']
  userAgent: string
  /** The body as received. Empty for requests without a body. */
  body: string
  /** The status of the reply. Undefined until it was sent, and 0 if the connection was cut instead. */
  status: number | undefined
}

/** The requests that the simulator has received. Tests read it. */
export interface Journal {
  /** Returns the entries, oldest first. Keeps only the latest `keep`, so that a load test does not fill the memory. */
  entries(route?: RouteName): JournalEntry[]
  count(route?: RouteName): number
  clear(): void
}

/**
 * Creates a journal of the latest requests. It drops old entries in batches, because dropping one per request would
 * move the whole array each time.
 */
export function createJournal(keep = 5_000): Journal & { add(entry: JournalEntry): void } {
  let list: JournalEntry[] = []
  let counts = new Map<RouteName, number>()
  return {
    add(entry) {
      list.push(entry)
      counts.set(entry.route, (counts.get(entry.route) ?? 0) + 1)
      if (list.length >= keep * 2) list = list.slice(-keep)
    },
    entries: (route) => list.slice(-keep).filter((entry) => route === undefined || entry.route === route),
    count: (route) => (route ? (counts.get(route) ?? 0) : [...counts.values()].reduce((a, b) => a + b, 0)),
    clear: () => {
      list = []
      counts = new Map()
    },
  }
}
