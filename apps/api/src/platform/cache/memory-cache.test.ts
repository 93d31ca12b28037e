import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createMemoryCache } from './memory-cache.ts'

test('counts without a promise', () => {
  expect(createMemoryCache().count('counter', 2, 1000)).toBe(2)
})

test('ends values and counters by its clock, to the millisecond', async () => {
  let time = 0
  const cache = createMemoryCache({ now: () => time })
  await cache.set('value', 'kept', 1000)
  cache.count('counter', 1, 1000)

  time = 999
  expect(await cache.get('value')).toBe('kept')
  expect(cache.count('counter', 1, 1000)).toBe(2)

  time = 1000
  expect(await cache.get('value')).toBeUndefined()
  expect(cache.count('counter', 1, 1000)).toBe(1)
})

test('never keeps more than it was allowed, and forgets the least recently used first', async () => {
  const cache = createMemoryCache({ maxEntries: 10 })
  for (let index = 0; index < 1000; index++) {
    await cache.set(`value ${index}`, 'x', 60_000)
    await cache.get('value 0')
  }
  const kept = await Promise.all(Array.from({ length: 1000 }, (_, index) => cache.get(`value ${index}`)))
  expect(kept.filter((value) => value !== undefined).length).toBeLessThanOrEqual(10)
  expect(kept[0]).toBe('x')
  expect(kept[999]).toBe('x')
})

test('keeps values during a flood of counters', async () => {
  const cache = createMemoryCache({ maxEntries: 10 })
  await cache.set('value', 'kept', 60_000)
  for (let index = 0; index < 1000; index++) cache.count(`caller ${index}`, 1, 60_000)
  expect(await cache.get('value')).toBe('kept')
})

test('stays under 40 MB with a million counters', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const cache = createMemoryCache()
  collectGarbage()
  const before = process.memoryUsage().heapUsed

  for (let index = 0; index < 1_000_000; index++) cache.count(`caller number ${index}`, 1, 60_000)

  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024)
  expect(cache.count('caller number 999999', 1, 60_000)).toBe(2)
  expect(cache.count('caller number 0', 1, 60_000)).toBe(1)
})
