import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Cache } from '#platform/cache/cache'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createRedisCache } from '#platform/cache/redis-cache'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import type { Verdict } from './verdict.ts'

const log = { info() {}, warn() {} }

/** Any time at the start of a minute. */
const minute = 29_000_000 * 60_000

function consumeMany(limiter: RateLimiter, caller: string, times: number): Promise<Verdict[]> {
  return Promise.all(Array.from({ length: times }, () => limiter.consume(caller)))
}

const countAllowed = (verdicts: Verdict[]): number => verdicts.filter((verdict) => verdict.allowed).length

/** Wraps the cache to record the requested counts. */
function watch(cache: Cache): { cache: Cache; counts: number[] } {
  const counts: number[] = []
  return {
    counts,
    cache: {
      ...cache,
      countUpTo(key, by, terms) {
        counts.push(by)
        return cache.countUpTo(key, by, terms)
      },
    },
  }
}

describe.each(['memory', 'redis'] as const)('a limit on the %s cache', (kind) => {
  let redis: RedisServer | undefined
  let cache: Cache

  beforeAll(async () => {
    if (kind === 'redis') redis = await startRedis()
    cache = redis ? createRedisCache({ url: redis.url, log }) : createMemoryCache()
    await cache.ping()
  })

  afterAll(async () => {
    await cache.close()
    await redis?.stop()
  })

  test('lets exactly the limit through, counting down what remains', async () => {
    const limiter = createRateLimiter({ cache, limit: 3, windowMs: 60_000, name: 'exact', now: () => minute })
    const verdicts = []
    for (let index = 0; index < 5; index++) verdicts.push(await limiter.consume('caller'))
    expect(verdicts).toEqual([
      { allowed: true, limit: 3, remaining: 2, resetSec: 60 },
      { allowed: true, limit: 3, remaining: 1, resetSec: 60 },
      { allowed: true, limit: 3, remaining: 0, resetSec: 60 },
      { allowed: false, limit: 3, remaining: 0, resetSec: 60 },
      { allowed: false, limit: 3, remaining: 0, resetSec: 60 },
    ])
  })

  test('lets each of a crowd of callers have the whole limit', async () => {
    const limiter = createRateLimiter({ cache, limit: 2, windowMs: 60_000, name: 'crowd' })
    const callers = ['a', 'A', 'a:', 'a\n', '', '*', '__proto__', 'é', 'e\u0301', 'x'.repeat(100_000)]
    const verdicts = await Promise.all(callers.map((caller) => consumeMany(limiter, caller, 3)))
    expect(verdicts.map(countAllowed)).toEqual(callers.map(() => 2))
  })

  test('keeps limits of different names apart', async () => {
    const one = createRateLimiter({ cache, limit: 1, windowMs: 60_000, name: 'one' })
    const two = createRateLimiter({ cache, limit: 1, windowMs: 60_000, name: 'two' })
    expect([await one.consume('caller'), await two.consume('caller')]).toMatchObject([
      { allowed: true },
      { allowed: true },
    ])
  })

  test('starts again with the next window, after exactly the seconds of its verdict', async () => {
    let time = minute + 12_345
    const limiter = createRateLimiter({ cache, limit: 1, windowMs: 60_000, name: 'rolls', now: () => time })
    await limiter.consume('caller')
    const refused = await limiter.consume('caller')
    expect(refused).toMatchObject({ allowed: false, resetSec: 48 })

    time += (refused.resetSec - 1) * 1000
    expect(await limiter.consume('caller')).toMatchObject({ allowed: false, resetSec: 1 })
    time += 1000
    expect(await limiter.consume('caller')).toMatchObject({ allowed: true, resetSec: 60 })
  })

  test('survives a clock that is set back', async () => {
    let time = minute
    const limiter = createRateLimiter({ cache, limit: 1, windowMs: 60_000, name: 'back', now: () => time })
    await limiter.consume('caller')
    time -= 1
    expect(await limiter.consume('caller')).toMatchObject({ allowed: true, resetSec: 1 })
    time += 1
    expect(await limiter.consume('caller')).toMatchObject({ allowed: false, resetSec: 60 })
  })

  test('does not query the cache again for a caller that is over the limit', async () => {
    const watched = watch(cache)
    const limiter = createRateLimiter({ cache: watched.cache, limit: 2, windowMs: 60_000, name: 'known' })
    await consumeMany(limiter, 'caller', 3)
    const countsBefore = watched.counts.length
    expect(countAllowed(await consumeMany(limiter, 'caller', 1000))).toBe(0)
    expect(watched.counts.length).toBe(countsBefore)
  })
})

describe('two instances on one Redis', () => {
  let redis: RedisServer
  let caches: Cache[]

  beforeAll(async () => {
    redis = await startRedis()
    caches = [createRedisCache({ url: redis.url, log }), createRedisCache({ url: redis.url, log })]
    for (const cache of caches) await cache.ping()
  })

  afterAll(async () => {
    for (const cache of caches) await cache.close()
    await redis.stop()
  })

  test.each([1, 7, 100, 499, 500, 501])('let exactly %i of 500 parallel requests through', async (limit) => {
    const limiters = caches.map((cache) =>
      createRateLimiter({ cache, limit, windowMs: 60_000, now: () => minute }),
    )
    const requests = Array.from({ length: 500 }, async (_, index) => {
      // Spread over many turns, so that counts are in progress when requests arrive.
      for (let turn = 0; turn < index % 50; turn++) await new Promise((resolve) => setImmediate(resolve))
      return limiters[index % 2]?.consume(`caller of ${limit}`) as Promise<Verdict>
    })
    const verdicts = await Promise.all(requests)
    expect(countAllowed(verdicts)).toBe(Math.min(limit, 500))
    const remaining = verdicts.filter((verdict) => verdict.allowed).map((verdict) => verdict.remaining)
    expect(Math.max(...remaining)).toBeLessThan(limit)
    // With a limit too small to be shared each request is counted separately, so each receives another number.
    if (limit < 64) expect(new Set(remaining).size).toBe(remaining.length)
  })

  test('ask once per caller for all requests of a turn', async () => {
    const [cache] = caches
    if (!cache) throw new Error('no cache')
    const watched = watch(cache)
    const limiter = createRateLimiter({ cache: watched.cache, limit: 1000, windowMs: 60_000, name: 'turn' })
    await Promise.all([consumeMany(limiter, 'first', 300), consumeMany(limiter, 'second', 200)])
    expect(watched.counts).toEqual([300, 200])
  })

  test('gather while a query is in progress, and do not send what its response already refuses', async () => {
    const [cache] = caches
    if (!cache) throw new Error('no cache')
    const watched = watch(cache)
    const limiter = createRateLimiter({ cache: watched.cache, limit: 2, windowMs: 60_000, name: 'gather' })
    const requests: (Verdict | Promise<Verdict>)[] = []
    for (let index = 0; index < 3; index++) requests.push(limiter.consume('caller'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(watched.counts).toEqual([3])
    for (let index = 0; index < 10; index++) requests.push(limiter.consume('caller'))
    expect(countAllowed(await Promise.all(requests))).toBe(2)
    expect(watched.counts).toEqual([3])
  })

  test('never have two queries for one caller in progress', async () => {
    const [cache] = caches
    if (!cache) throw new Error('no cache')
    let inProgress = 0
    let most = 0
    const countUpTo: Cache['countUpTo'] = async (key, by, terms) => {
      most = Math.max(most, ++inProgress)
      const counted = await cache.countUpTo(key, by, terms)
      inProgress--
      return counted
    }
    const limiter = createRateLimiter({
      cache: { ...cache, countUpTo },
      limit: 1000,
      windowMs: 60_000,
      name: 'one by one',
    })
    const requests: (Verdict | Promise<Verdict>)[] = []
    for (let turn = 0; turn < 100; turn++) {
      requests.push(limiter.consume('caller'))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(requests)
    expect(most).toBe(1)
  })

  test('neither reveal the caller to Redis nor keep a counter forever', async () => {
    const [cache] = caches
    if (!cache) throw new Error('no cache')
    const keys: [string, number][] = []
    const countUpTo: Cache['countUpTo'] = (key, by, terms) => {
      keys.push([key, terms.windowMs])
      return cache.countUpTo(key, by, terms)
    }
    const limiter = createRateLimiter({
      cache: { ...cache, countUpTo },
      limit: 1,
      windowMs: 60_000,
      now: () => minute,
    })
    await limiter.consume('rk_live_secret')
    expect(keys).toEqual([[expect.stringMatching(/^limit:default:[\w-]{43}:29000000$/), 120_000]])
  })
})

describe('a limit without its cache', () => {
  test('pauses at once, and holds again when the cache is back', async () => {
    const redis = await startRedis()
    const lines: string[] = []
    const cache = createRedisCache({
      url: redis.url,
      log: { info: () => lines.push('info'), warn: () => lines.push('warn') },
    })
    try {
      await cache.ping()
      const limiter = createRateLimiter({ cache, limit: 1, windowMs: 60_000, now: () => minute })
      await consumeMany(limiter, 'caller', 2)

      redis.pause()
      const [caught] = await consumeMany(limiter, 'another', 1)
      expect(caught).toEqual({ allowed: true, paused: true, limit: 1, remaining: 1, resetSec: 60 })
      for (let index = 0; index < 1000; index++) {
        expect(limiter.consume('caller')).toMatchObject({ allowed: true, paused: true })
      }
      expect(await cache.ping()).toBe(false)
      expect(lines).toEqual(['warn'])

      redis.resume()
      await vi.waitFor(() => expect(cache.isUp()).toBe(true), { timeout: 5000 })
      expect(await limiter.consume('caller')).toMatchObject({ allowed: false })
      expect(lines).toEqual(['warn', 'info'])
    } finally {
      await cache.close()
      await redis.stop()
    }
  })
})

describe('a limit on the memory cache', () => {
  test('returns no promise', () => {
    const limiter = createRateLimiter({
      cache: createMemoryCache(),
      limit: 1,
      windowMs: 60_000,
      now: () => minute,
    })
    expect(limiter.consume('caller')).toEqual({ allowed: true, limit: 1, remaining: 0, resetSec: 60 })
  })

  test('stays under 80 MB with a million callers', () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const limiter = createRateLimiter({
      cache: createMemoryCache(),
      limit: 1,
      windowMs: 60_000,
      now: () => minute,
    })
    collectGarbage()
    const before = process.memoryUsage().heapUsed

    for (let index = 0; index < 1_000_000; index++) limiter.consume(`caller number ${index}`)

    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(80 * 1024 * 1024)
    expect(limiter.consume('caller number 999999')).toMatchObject({ allowed: false })
  })
})

describe('a limit of 0', () => {
  test('is off: everything passes, nothing is queried, no fields are sent', () => {
    const { cache, counts } = watch(createMemoryCache())
    const limiter = createRateLimiter({ cache, limit: 0, windowMs: 60_000 })
    const verdict = limiter.consume('caller') as Verdict
    expect(verdict).toMatchObject({ allowed: true, limit: 0 })
    expect(counts).toEqual([])
    expect(limiter.headers(verdict)).toEqual({})
  })
})

describe('the response fields', () => {
  const cache = createMemoryCache()
  const limiter = createRateLimiter({ cache, limit: 100, windowMs: 60_000 })

  test('of a request that passed', () => {
    expect(limiter.headers({ allowed: true, limit: 100, remaining: 50, resetSec: 30 })).toEqual({
      RateLimit: '"default";r=50;t=30',
      'RateLimit-Policy': '"default";q=100;w=60',
    })
  })

  test('of a refusal also say when to come back', () => {
    expect(limiter.headers({ allowed: false, limit: 100, remaining: 0, resetSec: 1 })).toEqual({
      RateLimit: '"default";r=0;t=1',
      'RateLimit-Policy': '"default";q=100;w=60',
      'Retry-After': '1',
    })
  })

  test('of a paused limit are none', () => {
    expect(
      limiter.headers({ allowed: true, paused: true, limit: 100, remaining: 100, resetSec: 60 }),
    ).toEqual({})
  })

  test('name the policy, and a window of whole seconds', () => {
    const brief = createRateLimiter({ cache, limit: 5, windowMs: 1500, name: 'exchange' })
    expect(brief.headers({ allowed: true, limit: 5, remaining: 4, resetSec: 2 })).toMatchObject({
      'RateLimit-Policy': '"exchange";q=5;w=2',
    })
  })
})
