import type { Logger } from 'pino'
import { createBreaker } from './breaker.ts'
import type { Cache } from './cache.ts'
import { connect, nameOf } from './redis-connection.ts'
import { createSubscriber } from './redis-subscriber.ts'

interface Options {
  url: string
  log: Pick<Logger, 'info' | 'warn'>
  /** The longest time that one call may take. */
  deadlineMs?: number
}

/** Separates the keys and channels of the service from those of other programs on the same server. */
const prefix = 'rolecall:'

/**
 * Creates the cache that all instances of a deployment share.
 *
 * It connects in the background, so that the service can start without it. While the server cannot be reached, every
 * call returns immediately (see `createBreaker`). The end of an outage is noticed within a second. The cache counts as
 * down after two probes in a row, 250 ms apart, got no response within 400 ms.
 */
export function createRedisCache({ url, log, deadlineMs = 100 }: Options): Cache {
  const redis = connect(url)
  const subscriber = createSubscriber(url)
  const breaker = createBreaker({
    name: nameOf(url),
    deadlineMs,
    probeDeadlineMs: 400,
    retryMs: 250,
    // The probe uses the command that needs the most: scripts, writes, and memory.
    probe: () => redis.countInWindow(`${prefix}probe`, 1, 1000),
    reset() {
      redis.disconnect(true)
      subscriber.reset()
    },
    log,
  })
  redis.on('ready', breaker.check)
  redis.on('error', breaker.fail)
  let generation = 0
  redis.on('close', () => {
    generation += 1
    breaker.fail(new Error('connection closed'))
  })

  return {
    kind: 'redis',
    generation: () => generation,
    isUp: breaker.isUp,

    async ping() {
      await breaker.whenStarted()
      return breaker.check()
    },

    async get(key) {
      const value = await breaker.run(() => redis.get(prefix + key))
      return typeof value === 'string' ? value : undefined
    },

    async set(key, value, ttlMs) {
      await breaker.run(() => redis.set(prefix + key, value, 'PX', wholeMs(ttlMs)))
    },

    count(key, by, windowMs) {
      return breaker
        .run(() => redis.countInWindow(prefix + key, by, wholeMs(windowMs)))
        ?.then((total) => (typeof total === 'number' ? total : undefined))
    },

    async countUpTo(key, by, { limit, from, windowMs }) {
      const response = await breaker.run(() =>
        redis.countUpTo(prefix + key, by, limit, from, wholeMs(windowMs)),
      )
      if (!Array.isArray(response)) return undefined
      const [counted, total] = response
      return typeof counted === 'number' && typeof total === 'number' ? { counted, total } : undefined
    },

    async subtract(key, by) {
      await breaker.run(() => redis.subtract(prefix + key, by))
    },

    async publish(channel, message) {
      await breaker.run(() => redis.publish(prefix + channel, message))
    },

    subscribe: (channel, listener) => subscriber.subscribe(prefix + channel, listener),

    async close() {
      breaker.close()
      subscriber.close()
      redis.disconnect()
    },
  }
}

/** Redis rejects an expiry that is not a positive whole number. */
const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms))
