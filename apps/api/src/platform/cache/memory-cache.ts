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
  /** Returns the time of a monotonic clock, because a corrected wall clock must not end or extend a claim. */
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
 * evicted. Counters have a separate bound. Otherwise, a flood of new callers would evict the claims that replay
 * protection needs.
 */
export function createMemoryCache({
  maxEntries = defaultMaxEntries,
  now = monotonicMs,
}: Options = {}): Cache {
  const values = new RecentMap<Entry>(maxEntries)
  const counters = new RecentMap<Counter>(maxEntries)
  const channels = new Channels()
  let isOpen = true

  function find(key: string): string | undefined {
    const entry = values.get(key)
    return entry && entry.expiresAt > now() ? entry.value : undefined
  }

  function put(key: string, value: string, ttlMs: number): void {
    values.set(key, { value, expiresAt: now() + ttlMs })
  }

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
      return isOpen ? find(key) : undefined
    },

    async set(key, value, ttlMs) {
      if (isOpen) put(key, value, ttlMs)
    },

    async delete(key) {
      values.delete(key)
      counters.delete(key)
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

    async claim(key, ttlMs) {
      if (!isOpen) return undefined
      if (find(key) !== undefined) return false
      put(key, '1', ttlMs)
      return true
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
