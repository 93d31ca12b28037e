import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Cache } from '#platform/cache/cache'
import { createRedisCache } from '#platform/cache/redis-cache'
import { redisForTests } from '../../../test/process-for-tests.ts'
import { startRedis } from '../../../test/redis.ts'
import { createRateLimiter, type SharingLimiter } from './rate-limiter.ts'
import type { Verdict } from './verdict.ts'

const log = { info() {}, warn() {} }
/** A clock that stands still in one window: returned shares stay within it. */
const now = () => 29_000_000 * 60_000
/** A command that a busy machine delays is not abandoned: its count would be lost. */
const deadlineMs = 10_000
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const redis = redisForTests()
let caches: Cache[]

beforeAll(async () => {
  caches = Array.from({ length: 4 }, () => createRedisCache({ url: redis.url, log, deadlineMs }))
  for (const cache of caches) expect(await cache.ping()).toBe(true)
})

afterAll(async () => {
  for (const cache of caches) await cache.close()
})

interface Instance {
  take(): void
  /** Takes as a request does that may be answered from memory: waits for a share, if need be. */
  takeFromShare(): void
  /** Returns its counted takes, less the returned and the admitted ones: its share, or lost with it. */
  unused(): number
  asked(): number
  promises(): number
  waits(): number
  allowed(): number
  refused(): number
  settled(): Promise<void>
  leave(): Promise<void>
  /** Silences the instance, as a killed process. */
  kill(): void
}

interface Loss {
  readonly recalls?: boolean
}

/** Creates an instance with its own connection, and records its actions. */
function join(name: string, limit: number, at = 0, { recalls = false }: Loss = {}): Instance {
  const cache = caches[at % caches.length] as Cache
  const seen = {
    counted: 0,
    givenBack: 0,
    asked: 0,
    promises: 0,
    waits: 0,
    allowed: 0,
    refused: 0,
    killed: false,
  }
  const ends: (() => void)[] = []
  const watched: Cache = {
    ...cache,
    isUp: () => !seen.killed && cache.isUp(),
    async countUpTo(key, by, terms) {
      if (seen.killed) return undefined
      seen.asked += 1
      const answer = await cache.countUpTo(key, by, terms)
      seen.counted += answer?.counted ?? 0
      return seen.killed ? undefined : answer
    },
    async subtract(key, by) {
      if (seen.killed) return
      seen.givenBack += by
      await cache.subtract(key, by)
    },
    async publish(channel, message) {
      if (!recalls) await cache.publish(channel, message)
    },
    subscribe(channel, listener) {
      const end = cache.subscribe(channel, (message) => {
        if (!seen.killed) listener(message)
      })
      ends.push(end)
      return end
    },
  }
  const limiter: SharingLimiter = createRateLimiter({ cache: watched, limit, windowMs: 60_000, name, now })
  const pending = new Set<Promise<void>>()
  const note = ({ allowed, paused }: Verdict) => {
    if (paused) return
    if (allowed) seen.allowed += 1
    else seen.refused += 1
  }
  const noteLater = (verdict: Promise<void>) => {
    const noted = verdict.finally(() => pending.delete(noted))
    pending.add(noted)
  }
  const take = () => {
    const verdict = limiter.consume('caller')
    if (!(verdict instanceof Promise)) return note(verdict)
    seen.promises += 1
    noteLater(verdict.then(note))
  }
  const tryTake = () => {
    const outcome = limiter.tryConsume('caller')
    if (outcome === true && !seen.killed) seen.allowed += 1
    return outcome
  }
  return {
    take,
    takeFromShare() {
      const outcome = tryTake()
      if (outcome === undefined) return take()
      if (outcome === true) return
      seen.waits += 1
      noteLater(outcome.then(() => void (tryTake() === true || take())))
    },
    unused: () => seen.counted - seen.givenBack - seen.allowed,
    asked: () => seen.asked,
    promises: () => seen.promises,
    waits: () => seen.waits,
    allowed: () => seen.allowed,
    refused: () => seen.refused,
    async settled() {
      while (pending.size > 0) await Promise.all(pending)
    },
    leave: () => limiter.close(),
    kill() {
      seen.killed = true
      for (const end of ends) end()
    },
  }
}

/** Takes one after the other, as one connection does. */
async function takeInTurn(instance: Instance, times: number) {
  for (let i = 0; i < times; i++) {
    instance.take()
    await instance.settled()
    await turn()
  }
}

const sum = (instances: readonly Instance[], of: (instance: Instance) => number) =>
  instances.reduce((total, instance) => total + of(instance), 0)

describe('a share of a window', () => {
  test('answers without a promise, and the cache is asked a few times for thousands of requests', async () => {
    const instance = join('sync', 1_000_000)
    await takeInTurn(instance, 3_000)
    expect(instance.allowed()).toBe(3_000)
    expect(instance.asked()).toBeLessThan(100)
    expect(instance.promises()).toBeLessThan(100)
    await instance.leave()
  })

  test('is reserved while requests wait for it: none of them needs a verdict of its own', async () => {
    const instance = join('awaited', 1_000_000)
    for (let i = 0; i < 50; i++) {
      for (let lane = 0; lane < 64; lane++) instance.takeFromShare()
      await instance.settled()
    }
    expect(instance.allowed()).toBe(50 * 64)
    expect(instance.promises()).toBe(0)
    expect(instance.waits()).toBeGreaterThanOrEqual(64)
    expect(instance.waits()).toBeLessThan(10 * 64)
    await instance.leave()
  })

  test('is at most an eighth of what is left: a killed instance costs no more', async () => {
    const [killed, other] = [join('killed', 4_000, 0), join('killed', 4_000, 1)]
    await takeInTurn(killed, 1_600)
    // A machine under load may pause so long that the share was returned.
    while (killed.unused() === 0 && killed.allowed() < 3_000) await takeInTurn(killed, 10)
    killed.kill()
    const lost = killed.unused()
    expect(lost).toBeGreaterThan(0)
    expect(lost).toBeLessThanOrEqual(4_000 / 8)
    const drained = async () => {
      const before = other.allowed()
      await takeInTurn(other, 100)
      expect(other.allowed()).toBe(before)
    }
    await vi.waitFor(drained, { timeout: 10_000, interval: 1 })
    // Its share is lost, and with it a share in transit to it.
    const total = sum([killed, other], ({ allowed }) => allowed())
    expect(total).toBeLessThanOrEqual(4_000 - lost)
    expect(total).toBeGreaterThanOrEqual(4_000 - lost - 4_000 / 8)
    await other.leave()
  })

  test('is not taken by a caller of a few requests a second', async () => {
    const instance = join('slow', 10_000)
    await takeInTurn(instance, 5)
    expect(instance.unused()).toBe(0)
    await instance.leave()
  })

  test('goes back when it lies idle, also when no instance could be notified of the need', async () => {
    const [idle, busy] = [join('idle', 2_000, 0), join('idle', 2_000, 1, { recalls: true })]
    await takeInTurn(idle, 500)
    expect(idle.unused()).toBeGreaterThan(0)
    const drain = async () => {
      await takeInTurn(busy, 50)
      expect(busy.allowed()).toBe(1_500)
    }
    await vi.waitFor(drain, { timeout: 10_000, interval: 1 })
    expect(idle.unused()).toBe(0)
    for (const instance of [idle, busy]) await instance.leave()
  })

  test('is requested before a refusal: a caller within the limit is never refused', async () => {
    const limit = 1_000
    const instances = [0, 1, 2, 3].map((at) => join('honest', limit, at))
    for (let round = 0; round < 2; round++) {
      for (const instance of instances) await takeInTurn(instance, limit / 8)
    }
    expect(sum(instances, ({ allowed }) => allowed())).toBe(limit)
    expect(sum(instances, ({ refused }) => refused())).toBe(0)
    for (const instance of instances) await instance.leave()
  })

  test('is the others’ at once when its instance stops', async () => {
    const [stopped, other] = [join('stopped', 800, 0), join('stopped', 800, 1, { recalls: true })]
    await takeInTurn(stopped, 200)
    expect(stopped.unused()).toBeGreaterThan(0)
    await stopped.leave()
    expect(stopped.unused()).toBe(0)
    for (let i = 0; i < 600; i++) other.take()
    await other.settled()
    expect(other.allowed()).toBe(600)
    await other.leave()
  })
})

/** Events of a limit: instances take, die, leave and join. */
const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('burst' as const, 'burst from shares' as const),
        at: fc.nat(3),
        takes: fc.integer({ min: 1, max: 120 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('in turn' as const),
        at: fc.nat(3),
        takes: fc.integer({ min: 1, max: 120 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('turns' as const),
        at: fc.nat(3),
        takes: fc.integer({ min: 1, max: 30 }),
      }),
    },
    fc.record({
      kind: fc.constantFrom('kill' as const, 'leave' as const),
      at: fc.nat(3),
      takes: fc.constant(0),
    }),
  ),
  { minLength: 1, maxLength: 12 },
)

describe('over one to four instances that come and go', () => {
  test('never more than the limit pass, and all of it does, but for what died with an instance', {
    timeout: 120_000,
  }, async () => {
    let runs = 0
    const limits = fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 81, max: 1_500 }))
    const property = fc.asyncProperty(
      limits,
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      events,
      async (limit, count, recalls, happening) => {
        const name = `property-${++runs}`
        const all: Instance[] = []
        const start = (at: number) => {
          const instance = join(name, limit, at, { recalls })
          all.push(instance)
          return instance
        }
        const live = Array.from({ length: count }, (_, at) => start(at))
        for (const { kind, at, takes } of happening) {
          const instance = live[at % count] as Instance
          if (kind === 'burst') for (let i = 0; i < takes; i++) instance.take()
          else if (kind === 'burst from shares') for (let i = 0; i < takes; i++) instance.takeFromShare()
          else if (kind === 'in turn') await takeInTurn(instance, takes)
          else if (kind === 'turns') for (let i = 0; i < takes; i++) await turn()
          else {
            if (kind === 'kill') instance.kill()
            else await instance.leave()
            live[at % count] = start(at)
          }
          expect(sum(all, ({ allowed }) => allowed())).toBeLessThanOrEqual(limit)
        }
        for (const instance of all) await instance.settled()
        const [last] = live as [Instance]
        const lost = () =>
          sum(
            all.filter((instance) => !live.includes(instance)),
            ({ unused }) => unused(),
          )
        const drain = async () => {
          for (let i = 0; i < 100; i++) last.take()
          await last.settled()
          expect(sum(all, ({ allowed }) => allowed())).toBe(limit - lost())
        }
        await vi.waitFor(drain, { timeout: 10_000, interval: 5 })
        for (let i = 0; i < 100; i++) last.take()
        await last.settled()
        expect(sum(all, ({ allowed }) => allowed())).toBe(limit - lost())
        for (const instance of live) await instance.leave()
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })
})

test('a cache that comes back empty gives no caller a second limit', async () => {
  const own = await startRedis()
  const cache = createRedisCache({ url: own.url, log, deadlineMs })
  try {
    await cache.ping()
    const limiter = createRateLimiter({ cache, limit: 1_000, windowMs: 60_000, now })
    let allowed = 0
    const takeOne = async () => {
      const verdict = await limiter.consume('caller')
      if (verdict.allowed && !verdict.paused) allowed += 1
      return verdict
    }
    for (let i = 0; i < 600; i++) await takeOne()
    await own.restart()
    await vi.waitFor(() => expect(cache.isUp()).toBe(true), { timeout: 5_000 })
    for (let i = 0; i < 1_000; i++) await takeOne()
    expect(allowed).toBe(1_000)
    expect(await takeOne()).toMatchObject({ allowed: false, remaining: 0 })
  } finally {
    await cache.close()
    await own.stop()
  }
})
