import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMinuteLog } from './minute-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('logs the first at once, and at the end of each minute the greatest of the others with their number', () => {
  const lines: object[] = []
  const log = createMinuteLog<{ ms: number }>(
    { warn: (fields: object) => void lines.push(fields) },
    'a change waited',
    ({ ms }) => ms,
  )
  log({ ms: 1 })
  expect(lines.splice(0)).toEqual([{ ms: 1 }])
  for (const ms of [2, 40, 3]) log({ ms })
  expect(lines).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(lines.splice(0)).toEqual([{ ms: 40, leftOut: 2 }])
  log({ ms: 5 })
  vi.advanceTimersByTime(60_000)
  expect(lines.splice(0)).toEqual([{ ms: 5 }])
  // After a minute without any, the next is logged at once.
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
  log({ ms: 6 })
  expect(lines).toEqual([{ ms: 6 }])
})

test('shows the last one if none has a weight', () => {
  const lines: object[] = []
  const log = createMinuteLog({ warn: (fields: object) => void lines.push(fields) }, 'logins fail')
  for (const reason of ['a', 'b', 'c']) log({ reason })
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([{ reason: 'a' }, { reason: 'c', leftOut: 1 }])
})
