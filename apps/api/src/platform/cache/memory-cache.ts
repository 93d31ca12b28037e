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
  /** The maximum number of values, and of counters. */
  maxEntries?: number
  /** Returns the time of a monotonic clock, because a corrected wall clock must not end or extend an entry. */
  now?: () => number
}

/**
 * The default number of entries. Counters then take up to 20 MB, for more callers per minute than one process serves.
 */
const defaultMaxEntries = 100_000

/**
 * Creates the cache of a service that runs as one process. It is always up, and empty after a restart.
 *
 * Bounded, so that unknown callers cannot fill the memory: beyond `maxEntries` the least recently used entries are
 * evicted. Counters have a separate bound, so that a flood of new callers evicts no value.
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

    async giveBack(key, by) {
      const counter = isOpen ? findCounter(key) : undefined
      if (counter) counter.total = Math.max(0, counter.total - by)
    },

    async publish(channel, message) {
      // Listeners run after the publisher's own code, as they would with a cache across the network.
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
