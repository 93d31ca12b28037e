import { expect, test } from 'vitest'
import { summaryOf, waitingIn } from './summary.ts'

const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000]

/** A histogram with this many responses in each cell. The last cell is beyond all bounds. */
const took = (...cells: readonly number[]) => [...cells, ...Array(13 - cells.length).fill(0)]
const row = (cells: readonly number[]) => ({
  count: 100,
  clientErrors: 3,
  serverErrors: 1,
  measured: 100,
  took: [...cells],
})

test('endpoints are added up, and the percentile is that of all answers, not a mean of percentiles', () => {
  const quick = row(took(100))
  const slow = row(took(0, 0, 0, 0, 100))
  expect(summaryOf([quick, slow], boundsMs)).toEqual({
    count: 200,
    clientErrors: 6,
    serverErrors: 2,
    measured: 200,
    p95Ms: 25,
  })
  expect(summaryOf([quick, quick], boundsMs).p95Ms).toBe(1)
})

test('an answer beyond the last bound has no bound, and no answers have a percentile of nothing', () => {
  const endless = { ...row([]), took: [...Array(12).fill(0), 100] }
  expect(summaryOf([endless], boundsMs).p95Ms).toBeNull()
  expect(summaryOf([], boundsMs)).toMatchObject({ count: 0, measured: 0 })
})

test('events that stay in the outbox for a day are not counted as waiting', () => {
  const queues = [
    { name: 'outbox', waiting: 6 },
    { name: 'notifications', waiting: 2 },
    { name: 'member_syncs', waiting: 1 },
  ]
  expect(waitingIn(queues)).toBe(3)
})
