import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Cache } from '#platform/cache/cache'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createRedisCache } from '#platform/cache/redis-cache'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import { createRefundableQuota, type RefundableQuota } from './refundable-quota.ts'

const log = { info() {}, warn() {} }
/** Any moment that starts a minute. */
const minute = 29_000_000 * 60_000

const consumeMany = async (limiters: RefundableQuota[], times: number) => {
  const verdicts = await Promise.all(
    Array.from({ length: times }, (_, i) => limiters[i % limiters.length]?.consume('caller')),
  )
  return verdicts.filter((verdict) => verdict?.allowed).length
}

describe.each(['memory', 'redis'] as const)('what may be open at a time, on the %s cache', (kind) => {
  let redis: RedisServer | undefined
  let caches: Cache[]
  beforeAll(async () => {
    if (kind === 'redis') redis = await startRedis()
    const shared = createMemoryCache()
    caches = [1, 2].map(() => (redis ? createRedisCache({ url: redis.url, log }) : shared))
    for (const cache of caches) await cache.ping()
  })
  afterAll(async () => {
    for (const cache of caches) await cache.close()
    await redis?.stop()
  })
  const limitersOf = (name: string, limit: number, now = () => minute) =>
    caches.map((cache) => createRefundableQuota({ cache, limit, windowMs: 60_000, name, now }))

  test.each([1, 7, 100])('is exactly %i of 300 that race, over all instances', async (limit) => {
    expect(await consumeMany(limitersOf(`exact-${limit}`, limit), 300)).toBe(limit)
  })

  test('is free again on every instance once it is refunded, also after many were refused', async () => {
    const limiters = limitersOf('back', 10)
    expect(await consumeMany(limiters, 200)).toBe(10)
    await Promise.all(Array.from({ length: 4 }, (_, i) => limiters[i % 2]?.refund('caller', minute)))
    expect(await consumeMany(limiters, 200)).toBe(4)
    await Promise.all(Array.from({ length: 10 }, () => limiters[0]?.refund('caller', minute)))
    expect(await consumeMany(limiters, 200)).toBe(10)
  })

  test('never is more, however many are counted and refunded at once', async () => {
    const limiters = limitersOf('never-more', 5)
    let open = 0
    let most = 0
    const work = async (limiter: RefundableQuota) => {
      for (let i = 0; i < 40; i++) {
        const { allowed, consumedAtMs } = await limiter.consume('caller')
        if (!allowed) continue
        most = Math.max(most, ++open)
        await Promise.resolve()
        open--
        await limiter.refund('caller', consumedAtMs)
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, i) => work(limiters[i % 2] as RefundableQuota)))
    expect(most).toBeLessThanOrEqual(5)
    expect(most).toBeGreaterThan(0)
    expect(await consumeMany(limiters, 50)).toBe(5)
  })

  test('of an earlier window refunds nothing in this one', async () => {
    let time = minute
    const limiters = limitersOf('windows', 2, () => time)
    await consumeMany(limiters, 2)
    time += 60_000
    for (let i = 0; i < 5; i++) await limiters[0]?.refund('caller', minute)
    expect(await consumeMany(limiters, 20)).toBe(2)
  })

  test('is refunded in the window that it was counted in, despite another clock', async () => {
    let time = minute + 59_000
    const limiters = limitersOf('another-clock', 2, () => time)
    await consumeMany(limiters, 2)
    // Three seconds later, in the next window. A clock that is two seconds ahead would place it in this one.
    time += 3_000
    await consumeMany(limiters, 2)
    await limiters[0]?.refund('caller', limiters[0].timeAgo(3_000))
    expect(await consumeMany(limiters, 5)).toBe(0)
    await limiters[0]?.refund('caller', limiters[0].timeAgo(1_000))
    expect(await consumeMany(limiters, 5)).toBe(1)
  })

  test('tells the caller how long to wait', async () => {
    const [limiter] = limitersOf('wait', 1, () => minute + 12_345)
    await limiter?.consume('caller')
    const verdict = await limiter?.consume('caller')
    expect(verdict).toMatchObject({ allowed: false, remaining: 0, resetSec: 48 })
    expect(verdict && limiter?.headers(verdict)).toMatchObject({ 'Retry-After': '48' })
  })
})

test('a refund after the cache lost its counter makes room for no request', async () => {
  const redis = await startRedis()
  const cache = createRedisCache({ url: redis.url, log })
  try {
    await cache.ping()
    const limiter = createRefundableQuota({ cache, limit: 3, windowMs: 60_000, now: () => minute })
    expect(await consumeMany([limiter], 5)).toBe(3)
    await redis.restart()
    await vi.waitFor(() => expect(cache.isUp()).toBe(true), { timeout: 5_000 })
    for (let i = 0; i < 3; i++) await limiter.refund('caller', minute)
    expect(await consumeMany([limiter], 10)).toBe(3)
  } finally {
    await cache.close()
    await redis.stop()
  }
})

test('a limit of 0 is off, and one without its cache pauses', async () => {
  const off = createRefundableQuota({ cache: createMemoryCache(), limit: 0, windowMs: 60_000 })
  expect(await consumeMany([off], 50)).toBe(50)
  const cache = createMemoryCache()
  await cache.close()
  const paused = createRefundableQuota({ cache, limit: 1, windowMs: 60_000 })
  expect(await consumeMany([paused], 50)).toBe(50)
})
