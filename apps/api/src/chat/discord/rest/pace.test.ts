import { expect, test } from 'vitest'
import { createMemoryCache } from '../../../platform/cache/memory-cache.ts'
import { createPace } from './pace.ts'
import type { Pace } from './rest.ts'

/**
 * A process without a processor for a while sends its backlog at once: a pace that is too fast fails in each
 * attempt.
 */
const tries = { retry: 3 }

/** Sends requests for a time and returns the time of each. */
async function floodFor(ms: number, paces: readonly Pace[]): Promise<number[]> {
  const sent: number[] = []
  const until = performance.now() + ms
  const flood = async (pace: Pace) => {
    while (performance.now() < until) {
      await pace('background', null)
      sent.push(performance.now())
    }
  }
  await Promise.all(paces.flatMap((pace) => Array.from({ length: 5 }, () => flood(pace))))
  return sent
}

test('without the cache each instance keeps a share that is safe for five', tries, async () => {
  const cache = createMemoryCache()
  await cache.close()
  const sent = await floodFor(2_000, [createPace(cache)])
  expect(sent.length).toBeGreaterThan(5)
  for (const from of sent) {
    expect(sent.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(10)
  }
})

test(
  'instances that share a cache send fewer than 50 requests in any second, and logins have room',
  tries,
  async () => {
    const cache = createMemoryCache()
    const paces = [createPace(cache), createPace(cache)]
    const sent: number[] = []
    let stop = false
    const flood = async (pace: (typeof paces)[number]) => {
      while (!stop) {
        await pace('background', null)
        if (!stop) sent.push(performance.now())
      }
    }
    const floods = paces.flatMap((pace) => Array.from({ length: 20 }, () => flood(pace)))
    const waits: number[] = []
    for (let i = 0; i < 10; i++) {
      const askedAt = performance.now()
      await paces[i % 2]?.('login', null)
      waits.push(performance.now() - askedAt)
      sent.push(performance.now())
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    stop = true
    await Promise.all(floods)
    for (const from of sent) {
      expect(sent.filter((at) => at >= from && at < from + 1_000).length).toBeLessThan(50)
    }
    expect(Math.max(...waits)).toBeLessThan(1_000)
    expect(sent.length).toBeGreaterThan(30)
  },
)
