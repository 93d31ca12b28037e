import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from './client.ts'
import { type GivenProject, givenProject, validate, walkSession } from './given.ts'
import { redisForTests } from './process-for-tests.ts'
import { type Service, startWorld, type World } from './service.ts'

const limit = 1_500

describe('the rate limit on two instances over one PostgreSQL and Redis', () => {
  const redis = redisForTests()
  let client: Redis
  let world: World
  let other: Service
  let project: GivenProject
  let token: string
  beforeAll(async () => {
    client = new Redis(redis.url)
    world = await startWorld('postgres', {
      CACHE_URL: redis.url,
      RATE_LIMIT_GLOBAL: String(limit),
      // A day, so that a window ends during a test only at midnight.
      RATE_LIMIT_GLOBAL_TTL_MS: '86400000',
    })
    other = await world.another()
    await vi.waitFor(async () => expect(await other.deps.cache.ping()).toBe(true))
    project = await givenProject(world)
    token = (await walkSession(world, project)).token
  })
  afterAll(async () => {
    client.disconnect()
    await world.close()
  })

  const statuses = new Map<number, number>()
  const allowed = () => statuses.get(200) ?? 0
  let asked = 0
  const ask = async (service: { url: string }, times: number, lanes: number) => {
    asked += times
    let left = times
    const lane = async () => {
      while (left-- > 0) {
        const { status } = await validate(service, project, token)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  const scriptsRun = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0)

  test('is reserved while the first requests wait, which need no read of the database', async () => {
    const { answers } = world.service.deps
    const { read } = answers
    let reads = 0
    const count: typeof read = (item) => {
      reads += 1
      return read(item)
    }
    Object.assign(answers, { read: count })
    try {
      const isInMemory = async () => {
        reads = 0
        await ask(world, 1, 1)
        expect(reads).toBe(0)
      }
      await vi.waitFor(isInMemory, { timeout: 10_000 })
      const before = allowed()
      await ask(world, 64, 64)
      expect(allowed() - before).toBe(64)
      expect(reads).toBe(0)
    } finally {
      Object.assign(answers, { read })
    }
  })

  test('counts the time for which a request waits as a part of its duration', async () => {
    const { cache } = world.service.deps
    const { countUpTo } = cache
    const waitMs = 60
    const seconds = async () => {
      const { text } = await call(world.url, 'GET', '/metrics')
      const sum =
        /^rolecall_http_request_duration_seconds_sum\{[^}]*auth\/validate[^}]*class="2xx"[^}]*\} (\S+)/m
      return Number(sum.exec(text)?.[1])
    }
    await sleep(500)
    Object.assign(cache, {
      countUpTo: async (...args: Parameters<typeof countUpTo>) => {
        await sleep(waitMs)
        return countUpTo(...args)
      },
    })
    try {
      const before = await seconds()
      await ask(world, 1, 1)
      expect((await seconds()) - before).toBeGreaterThan((waitMs / 1_000) * 0.9)
    } finally {
      Object.assign(cache, { countUpTo })
    }
  })

  test('is asked of Redis for a part of the requests only, and refuses none within it', async () => {
    const before = await scriptsRun()
    const allowedBefore = allowed()
    await ask(world, 500, 8)
    await ask(other, 500, 8)
    expect(allowed() - allowedBefore).toBe(1_000)
    expect((await scriptsRun()) - before).toBeLessThan(500)
  })

  test('lets exactly the limit through, with any shares of the instances', async () => {
    await Promise.all([ask(world, limit, 8), ask(other, limit, 8)])
    // The session of the test used one request.
    expect(allowed()).toBe(limit - 1)
    expect(statuses.get(429)).toBe(asked - allowed())
  })
})
