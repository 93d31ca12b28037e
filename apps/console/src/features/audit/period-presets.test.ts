import { expect, test } from 'vitest'
import { presetNamed, presetOf } from './period-presets.ts'

const now = new Date(2026, 0, 5, 14, 30)

test.each([
  ['week', { from: '2025-12-29T00:00', to: '' }],
  ['thirty', { from: '2025-12-06T00:00', to: '' }],
  ['month', { from: '2025-12-01T00:00', to: '2026-01-01T00:00' }],
] as const)('the period %s is found again by its moments, all day', (name, period) => {
  expect(presetOf(name, now)).toEqual(period)
  expect(presetNamed(period.from, period.to, new Date(2026, 0, 5, 23, 59))).toBe(name)
})

test('other moments are none of the periods', () => {
  expect(presetNamed('2025-12-01T00:00', undefined, now)).toBe('')
  expect(presetNamed(undefined, undefined, now)).toBe('')
})
