import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backOffMs, LateError, singleFlight, within, withTimeout } from './async.ts'

const never = new Promise<string>(() => {})
const failed = () => Promise.reject(new Error('refused'))

describe('within', () => {
  test('is the answer in time, and otherwise what was said: when it is late, and when it fails', async () => {
    expect(await within(Promise.resolve('answer'), 60_000, 'otherwise')).toBe('answer')
    expect(await within(never, 1, 'otherwise')).toBe('otherwise')
    expect(await within(failed(), 60_000, 'otherwise')).toBe('otherwise')
  })
})

describe('withTimeout', () => {
  test('is the outcome in time, and a LateError after it', async () => {
    expect(await withTimeout(Promise.resolve('answer'), 60_000)).toBe('answer')
    await expect(withTimeout(failed(), 60_000)).rejects.toThrow('refused')
    await expect(withTimeout(never, 1)).rejects.toThrow(LateError)
  })

  test('believes an answer that had arrived while the event loop was blocked', async () => {
    const answer = new Promise((resolve) => setTimeout(() => setImmediate(resolve, 'answer'), 1))
    const waiting = withTimeout(answer, 5)
    const until = performance.now() + 20
    while (performance.now() < until);
    expect(await waiting).toBe('answer')
  })
})

describe('singleFlight', () => {
  test('gives all who ask meanwhile the outcome of one run, and runs again afterwards', async () => {
    let runs = 0
    const run = singleFlight(async (asked: string) => {
      runs += 1
      await new Promise((resolve) => setImmediate(resolve))
      return `${asked} ${runs}`
    })
    expect(await Promise.all([run('first'), run('second'), run('third')])).toEqual(
      Array.from({ length: 3 }, () => 'first 1'),
    )
    expect(await run('fourth')).toBe('fourth 2')
  })

  test('runs again after a failure, which all who waited are told', async () => {
    let runs = 0
    const run = singleFlight(() => (++runs === 1 ? failed() : Promise.resolve(runs)))
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await run()).toBe(2)
  })
})

test('a back-off doubles from the first pause up to the longest, less a quarter at most', () => {
  const number = fc.integer({ min: 1, max: 100_000 })
  const property = fc.property(
    fc.integer({ min: 1, max: 10_000 }),
    number,
    number,
    (failures, firstMs, maxMs) => {
      const whole = Math.min(maxMs, firstMs * 2 ** (failures - 1))
      const pauseMs = backOffMs(failures, { firstMs, maxMs })
      expect(pauseMs).toBeLessThanOrEqual(whole)
      expect(pauseMs).toBeGreaterThanOrEqual(whole * 0.75)
    },
  )
  fc.assert(property)
})
