import type { Cache } from './cache.ts'
import { Channels } from './channels.ts'
import { RecentMap } from './recent-map.ts'

interface Entry {
  value: string
  expiresAt: number
}

interface Counter {
  total: number
  expiresAt: number
}

interface Options {
  /** The maximum number of values, and separately of counters. */
  maxEntries?: number
  /**
   * Returns the time of a monotonic clock. With the wall clock, a correction of the time would extend or end entries.
   */
  now?: () => number
}

/**
 * The default of `maxEntries`. That many counters take up to 20 MB, and one process does not serve more clients per
 * minute.
 */
const defaultMaxEntries = 100_000

/**
 * Creates the cache for a service that runs as a single process. It is always reachable, and empty after a restart.
 *
 * Its size is limited, so that unknown clients cannot fill the memory: above `maxEntries`, the least recently used
 * entries are evicted. Counters have a limit of their own, so that many new clients do not evict values.
 */
export function createMemoryCache({
  maxEntries = defaultMaxEntries,
  now = monotonicMs,
}: Options = {}): Cache {
  const values = new RecentMap<Entry>(maxEntries)
  const counters = new RecentMap<Counter>(maxEntries)
  const channels = new Channels()
  let isOpen = true

  function findCounter(key: string): Counter | undefined {
    const counter = counters.get(key)
    return counter && counter.expiresAt > now() ? counter : undefined
  }

  return {
    kind: 'memory',
    generation: () => 0,
    isUp: () => isOpen,
    ping: async () => isOpen,

    async get(key) {
      const entry = isOpen ? values.get(key) : undefined
      return entry && entry.expiresAt > now() ? entry.value : undefined
    },

    async set(key, value, ttlMs) {
      if (isOpen) values.set(key, { value, expiresAt: now() + ttlMs })
    },

    count(key, by, windowMs) {
      if (!isOpen) return undefined
      const time = now()
      const counter = counters.get(key)
      if (counter && counter.expiresAt > time) {
        counter.total += by
        return counter.total
      }
      counters.set(key, { total: by, expiresAt: time + windowMs })
      return by
    },

    async countUpTo(key, by, { limit, from, windowMs }) {
      if (!isOpen) return undefined
      const counter = findCounter(key)
      const total = counter?.total ?? from
      const counted = Math.max(0, Math.min(by, limit - total))
      if (counted === 0) return { counted, total }
      if (counter) counter.total += counted
      else counters.set(key, { total: total + counted, expiresAt: now() + windowMs })
      return { counted, total: total + counted }
    },

    async subtract(key, by) {
      const counter = isOpen ? findCounter(key) : undefined
      if (counter) counter.total = Math.max(0, counter.total - by)
    },

    async publish(channel, message) {
      // Listeners run after the current code of the publisher, as they would with Redis.
      if (isOpen) setImmediate(() => channels.deliver(channel, message))
    },

    subscribe: (channel, listener) => channels.add(channel, listener),

    async close() {
      isOpen = false
      channels.clear()
    },
  }
}

const monotonicMs = () => performance.now()
