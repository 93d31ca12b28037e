import { expect, test } from 'vitest'
import { claimPauseMs } from './claim-pause.ts'

test.each([
  ['one instance claims four times a second', 1, 250],
  ['each of two does, too', 2, 250],
  ['eight claim eight times a second together', 8, 1_000],
  ['a hundred claim no later than in five seconds', 100, 5_000],
])('%s', (_what, instances, meanMs) => {
  expect(claimPauseMs(instances, () => 0.5)).toBe(meanMs)
})

test('two instances that start together do not claim together for long', () => {
  expect(claimPauseMs(2, () => 0)).toBe(125)
  expect(claimPauseMs(2, () => 1)).toBe(375)
})
