import { expect, test } from 'vitest'
import { createRequestMetrics } from './request-metrics.ts'

/** Metrics by a clock of our own, in milliseconds. */
function withClock(startMs = 0) {
  let ms = startMs
  const metrics = createRequestMetrics(() => ms)
  const request = (tookMs: number, status = 200) => {
    const began = metrics.began()
    ms += tookMs
    metrics.ended('GET /x', status, began)
  }
  return { metrics, request, began: metrics.began }
}

test.each([
  [0.5, 0.001],
  [1.5, 0.0025],
  [7, 0.01],
  [999, 1],
  [9_000, 10],
])('a request of %s ms is in the bucket up to %s s, and in all above it', (tookMs, bound) => {
  const { metrics, request } = withClock()
  request(tookMs)
  const [row] = metrics.counts()
  expect(row?.atMost.map(([seconds, count]) => [seconds, count])).toEqual(
    row?.atMost.map(([seconds]) => [seconds, seconds >= bound ? 1 : 0]),
  )
  expect(row?.seconds).toBeCloseTo(tookMs / 1_000, 4)
})

test('one that took longer than every bound is measured all the same', () => {
  const { metrics, request } = withClock()
  request(60_000)
  expect(metrics.counts()).toMatchObject([{ measured: 1, seconds: expect.closeTo(60, 3) }])
  expect(metrics.counts()[0]?.atMost.at(-1)).toEqual([10, 0])
})

// 2^31 and 2^32 microseconds after the start of the process: 36 and 72 minutes.
test.each([2 ** 31, 2 ** 32, 2 ** 32 + 2 ** 31, 2 ** 40])('measures right around %s microseconds', (us) => {
  const { metrics, request } = withClock(us / 1_000 - 3)
  request(6)
  expect(metrics.counts()[0]?.seconds).toBeCloseTo(0.006, 4)
})

test('knows what is in flight, and counts what never began without measuring it', () => {
  const { metrics, request } = withClock()
  const began = metrics.began()
  expect(began).not.toBe(0)
  metrics.ended('unmatched', 404, 0)
  expect(metrics.inFlight()).toBe(1)
  metrics.ended('GET /x', 200, began)
  request(1, 500)
  expect(metrics.inFlight()).toBe(0)
  expect(
    metrics.counts().map(({ route, status, count, measured }) => [route, status, count, measured]),
  ).toEqual([
    ['unmatched', 404, 1, 0],
    ['GET /x', 200, 1, 1],
    ['GET /x', 500, 1, 1],
  ])
})
