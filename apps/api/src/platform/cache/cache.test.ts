import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import type { Cache } from './cache.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createRedisCache } from './redis-cache.ts'

const log = { info() {}, warn() {} }

describe.each(['memory', 'redis'] as const)('the %s cache', (kind) => {
  let redis: RedisServer | undefined
  let cache: Cache

  beforeAll(async () => {
    if (kind === 'redis') redis = await startRedis()
    cache = redis ? createRedisCache({ url: redis.url, log }) : createMemoryCache()
    expect(await cache.ping()).toBe(true)
  })

  afterAll(async () => {
    await cache.close()
    await redis?.stop()
  })

  test('says what it is, and that it is up', async () => {
    expect(cache.kind).toBe(kind)
    expect(cache.isUp()).toBe(true)
    expect(await cache.ping()).toBe(true)
  })

  test.each(['text', '', 'ünïcode 🙂\n\0', '{"__proto__":1}'])(
    'gives back %j as it was set',
    async (value) => {
      await cache.set('value', value, 60_000)
      expect(await cache.get('value')).toBe(value)
    },
  )

  test('answers undefined for a key that was never set', async () => {
    expect(await cache.get('nothing')).toBeUndefined()
  })

  test('keeps the last value set', async () => {
    await cache.set('twice', 'first', 60_000)
    await cache.set('twice', 'second', 60_000)
    expect(await cache.get('twice')).toBe('second')
  })

  test('keeps keys apart that look alike', async () => {
    const keys = ['a', 'A', 'a:', 'a\n', 'a*', 'é', 'e\u0301', '__proto__']
    for (const key of keys) await cache.set(key, `of ${key}`, 60_000)
    for (const key of keys) expect(await cache.get(key)).toBe(`of ${key}`)
  })

  test('forgets a value when its time is up, fractions of a millisecond included', async () => {
    await cache.set('short', 'value', 0.5)
    await vi.waitFor(async () => expect(await cache.get('short')).toBeUndefined())
  })

  test('counts up by what is added and answers the total after it', async () => {
    expect(await cache.count('counter', 1, 60_000)).toBe(1)
    expect(await cache.count('counter', 5, 60_000)).toBe(6)
    expect(await cache.count('another counter', 2, 60_000)).toBe(2)
  })

  test('gives each of 500 parallel counts a total of its own', async () => {
    const totals = await Promise.all(Array.from({ length: 500 }, () => cache.count('race', 1, 60_000)))
    expect(new Set(totals)).toEqual(new Set(Array.from({ length: 500 }, (_, index) => index + 1)))
  })

  test('counts up to a limit, from what a counter that is not there begins at', async () => {
    const terms = { limit: 10, from: 3, windowMs: 60_000 }
    expect(await cache.countUpTo('limited', 5, terms)).toEqual({ counted: 5, total: 8 })
    expect(await cache.countUpTo('limited', 5, terms)).toEqual({ counted: 2, total: 10 })
    expect(await cache.countUpTo('limited', 5, terms)).toEqual({ counted: 0, total: 10 })
    expect(await cache.count('limited', 5, 60_000)).toBe(15)
    expect(await cache.countUpTo('limited', 1, terms)).toEqual({ counted: 0, total: 15 })
    expect(await cache.countUpTo('never more', 5, { ...terms, from: 10 })).toEqual({ counted: 0, total: 10 })
    expect(await cache.count('never more', 1, 60_000)).toBe(1)
  })

  test('counts exactly the limit for 500 that race for it', async () => {
    const terms = { limit: 333, from: 0, windowMs: 60_000 }
    const answers = await Promise.all(Array.from({ length: 500 }, () => cache.countUpTo('raced', 1, terms)))
    expect(answers.reduce((sum, answer) => sum + (answer?.counted ?? 0), 0)).toBe(333)
  })

  test('starts a counter with a limit again once its window is over', async () => {
    const terms = { limit: 10, from: 0, windowMs: 50 }
    const startedAt = performance.now()
    await cache.countUpTo('limited window', 10, terms)
    const again = () => cache.countUpTo('limited window', 1, terms)
    await vi.waitFor(async () => expect(await again()).toMatchObject({ counted: 1 }), { interval: 5 })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49)
  })

  test('takes back what was given back, and no more than there was', async () => {
    const terms = { limit: 10, from: 0, windowMs: 60_000 }
    await cache.countUpTo('given back', 10, terms)
    await cache.subtract('given back', 4)
    expect(await cache.countUpTo('given back', 10, terms)).toEqual({ counted: 4, total: 10 })
    await cache.subtract('given back', 11)
    expect(await cache.count('given back', 1, 60_000)).toBe(1)
    await cache.subtract('never counted', 5)
    expect(await cache.count('never counted', 1, 60_000)).toBe(1)
  })

  test('starts a counter again once its window is over, counted from the first addition', async () => {
    const startedAt = performance.now()
    await cache.count('window', 10, 50)
    await vi.waitFor(async () => expect(await cache.count('window', 1, 50)).toBeLessThan(10), { interval: 5 })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49)
  })

  test('delivers a message to every listener of the channel, and to no other', async () => {
    const heard: string[] = []
    const ends = [
      cache.subscribe('news', (message) => heard.push(`first ${message}`)),
      cache.subscribe('news', (message) => heard.push(`second ${message}`)),
      cache.subscribe('other', (message) => heard.push(`other ${message}`)),
    ]
    await vi.waitFor(async () => {
      await cache.publish('news', 'hello')
      expect(heard).toEqual(expect.arrayContaining(['first hello', 'second hello']))
    })
    for (const end of ends) end()
    expect(heard.filter((line) => line.startsWith('other'))).toEqual([])
  })

  test('delivers nothing to a listener that ended its subscription, and goes on for the others', async () => {
    const ended: string[] = []
    const heard: string[] = []
    const end = cache.subscribe('half', (message) => ended.push(message))
    const endOther = cache.subscribe('half', (message) => heard.push(message))
    end()
    await vi.waitFor(async () => {
      await cache.publish('half', 'hello')
      expect(heard).toContain('hello')
    })
    endOther()
    expect(ended).toEqual([])
  })

  test('answers like an unreachable cache once closed', async () => {
    const closed = redis ? createRedisCache({ url: redis.url, log }) : createMemoryCache()
    await closed.ping()
    await closed.set('closed', 'value', 60_000)
    await closed.close()

    expect(closed.isUp()).toBe(false)
    expect(await closed.ping()).toBe(false)
    expect(await closed.get('closed')).toBeUndefined()
    expect(await closed.count('closed counter', 1, 60_000)).toBeUndefined()
    const terms = { limit: 1, from: 0, windowMs: 60_000 }
    expect(await closed.countUpTo('closed counter', 1, terms)).toBeUndefined()
    await closed.subtract('closed counter', 1)
    await closed.set('closed', 'value', 60_000)
    await closed.publish('closed', 'message')
    await closed.close()
  })
})
