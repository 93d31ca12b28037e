import { expect, test } from 'vitest'
import { isSequential, type SessionAnswer } from './session-order.ts'

const refresh = (generation: number, outcome: string): SessionAnswer => ({
  kind: 'refresh',
  by: 'token',
  generation,
  outcome,
})
const logout: SessionAnswer = { kind: 'logout', by: 'token', generation: 0, outcome: 'ok' }
const start = { isLive: true, current: 0 }
const late = 'REFRESH_TOKEN_SUPERSEDED'
const live = (current: number) => ({ isLive: true, current, isReused: false })
const over = (current: number, isReused = false) => ({ isLive: false, current, isReused })

test('recognizes answers that some order of the requests gives, however they are listed', () => {
  expect(isSequential(start, [refresh(0, late), refresh(0, 'ok'), refresh(0, late)], live(1))).toBe(true)
  expect(isSequential(start, [logout, refresh(0, 'ok')], over(1))).toBe(true)
  expect(isSequential(start, [refresh(0, 'INVALID_TOKEN'), logout], over(0))).toBe(true)
  expect(
    isSequential(
      { isLive: true, current: 1 },
      [refresh(0, 'REFRESH_TOKEN_REUSED'), refresh(1, 'ok')],
      over(2, true),
    ),
  ).toBe(true)
  expect(
    isSequential({ isLive: true, current: 2 }, [refresh(0, 'REFRESH_TOKEN_REUSED'), logout], over(2)),
  ).toBe(true)
})

test('answers and ends that no order gives are found', () => {
  // A pair was replaced twice.
  expect(isSequential(start, [refresh(0, 'ok'), refresh(0, 'ok')], live(2))).toBe(false)
  // The session outlived its logout.
  expect(isSequential(start, [refresh(0, 'ok'), logout], live(1))).toBe(false)
  // No request replaced the pair.
  expect(isSequential(start, [refresh(0, late)], live(0))).toBe(false)
  // A request was refused, although the session was live the whole time.
  expect(isSequential(start, [refresh(0, 'INVALID_REFRESH_TOKEN')], live(0))).toBe(false)
  // A response reported theft, but the session did not end.
  expect(isSequential({ isLive: true, current: 2 }, [refresh(0, 'REFRESH_TOKEN_REUSED')], live(2))).toBe(
    false,
  )
})
