import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { givenAdmin } from '../../../test/given.ts'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import { type Service, startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'

/** The limit that decisions.md promises for every other instance. */
const promisedMs = 1_000

describe('settings on two instances over one PostgreSQL and Redis', () => {
  let redis: RedisServer
  let world: World
  let other: Service
  let token: string
  beforeEach(async () => {
    redis = await startRedis()
    world = await startWorld('postgres', { CACHE_URL: redis.url })
    other = await world.another()
    token = await givenAdmin(world)
    await expect.poll(() => other.deps.cache.ping()).toBe(true)
  })
  afterEach(async () => {
    redis.resume()
    await world.close()
    await redis.stop()
  })

  const set = async (statsTtlMs: number) => {
    const reply = await call(world.url, 'PATCH', '/api/admin/settings', {
      token,
      body: { cache: { statsTtlMs } },
    })
    expect(reply.status).toBe(200)
    expect(world.service.deps.settings.current().statsTtlMs).toBe(statsTtlMs)
  }
  /**
   * Measures the milliseconds from the response until the new value is in force on the other instance. Both instances
   * run in this process: a turn in which the process had no CPU counts as a short one.
   */
  const lagOf = async (statsTtlMs: number) => {
    let lag = 0
    while (other.deps.settings.current().statsTtlMs !== statsTtlMs && lag < 5_000) {
      const since = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 2))
      lag += Math.min(performance.now() - since, 20)
    }
    return lag
  }
  const lagsOf = async (count: number) => {
    const lags: number[] = []
    for (let i = 1; i <= count; i++) {
      await set(i)
      lags.push(await lagOf(i))
    }
    return lags
  }

  test('a change is in force on the other one within a second', async () => {
    const lags = await lagsOf(8)
    expect(Math.max(...lags)).toBeLessThan(promisedMs)
    // The cache makes polling unnecessary: the typical delay is far below the polling interval.
    expect([...lags].sort((a, b) => a - b)[3]).toBeLessThan(200)
  })

  test('also while the cache is down, and while it hangs', async () => {
    await redis.kill()
    expect(Math.max(...(await lagsOf(4)))).toBeLessThan(promisedMs)
    await redis.restart()
    redis.pause()
    await set(50)
    expect(await lagOf(50)).toBeLessThan(promisedMs)
  })

  test('a request to the other one right after the response gets the new value', async () => {
    await redis.kill()
    for (let i = 1; i <= 5; i++) {
      await set(100 + i)
      const { body } = await call(other.url, 'GET', '/api/admin/settings', { token })
      expect(body.cache.statsTtlMs.value).toBe(100 + i)
      expect(other.deps.settings.current().statsTtlMs).toBe(100 + i)
    }
  })

  test('an instance that starts later starts with what is stored', async () => {
    await set(4_321)
    const third = await world.another()
    expect(third.deps.settings.current().statsTtlMs).toBe(4_321)
  })

  test('the last known values stay in force while the database cannot be read, and follow it afterwards', async () => {
    await set(11)
    await lagOf(11)
    const { db } = world.service.deps
    await db.script('alter table settings rename to settings_gone')
    await expect(other.deps.settings.refresh()).rejects.toThrow()
    expect(other.deps.settings.current().statsTtlMs).toBe(11)
    await db.script('alter table settings_gone rename to settings')
    await db.execute(sql`update settings set version = version + 1, overrides = '{"cache.statsTtlMs": 12}'`)
    expect(await lagOf(12)).toBeLessThan(promisedMs)
  })
})
