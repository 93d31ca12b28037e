import type { Logger } from 'pino'
import { createBreaker } from './breaker.ts'
import type { Cache } from './cache.ts'
import { connect, nameOf } from './redis-connection.ts'
import { createSubscriber } from './redis-subscriber.ts'

interface Options {
  url: string
  log: Pick<Logger, 'info' | 'warn'>
  /** The longest duration of one call. */
  deadlineMs?: number
}

/** Keeps the keys and channels apart from those of other programs that share the server. */
const prefix = 'rolecall:'

/**
 * Creates the cache that the instances of a deployment share.
 *
 * It connects in the background, so the service starts without the server. While the server is unreachable, every call
 * returns immediately (see the breaker), and the server's return is detected within a second. The cache is down after
 * two consecutive probes, 250 ms apart, without an answer within 400 ms.
 */
export function createRedisCache({ url, log, deadlineMs = 100 }: Options): Cache {
  const redis = connect(url)
  const subscriber = createSubscriber(url)
  const breaker = createBreaker({
    name: nameOf(url),
    deadlineMs,
    probeDeadlineMs: 400,
    retryMs: 250,
    // The most demanding command, because it needs scripts, writes, and memory.
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
      const answer = await breaker.run(() =>
        redis.countUpTo(prefix + key, by, limit, from, wholeMs(windowMs)),
      )
      if (!Array.isArray(answer)) return undefined
      const [counted, total] = answer
      return typeof counted === 'number' && typeof total === 'number' ? { counted, total } : undefined
    },

    async giveBack(key, by) {
      await breaker.run(() => redis.giveBack(prefix + key, by))
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

/** The server refuses an expiry that is not a whole number above zero. */
const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms))
