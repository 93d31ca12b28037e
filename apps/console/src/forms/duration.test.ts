import { describe, expect, test } from 'vitest'
import { durationOf, durationWords, storedValue, unitsFrom } from './duration.ts'

describe('a duration', () => {
  test.each([
    ['3600000', 'millisecond', '1', 'hour'],
    ['5400000', 'millisecond', '90', 'minute'],
    ['2592000', 'second', '30', 'day'],
    ['300', 'millisecond', '300', 'millisecond'],
    ['0', 'second', '0', 'second'],
    ['30', 'day', '30', 'day'],
    ['', 'day', '', 'day'],
  ] as const)('of %s %ss is %s %ss, and is stored as before', (value, stored, amount, unit) => {
    expect(durationOf(value, stored)).toEqual({ amount, unit })
    expect(storedValue({ amount, unit }, stored)).toBe(value)
  })

  test('is never said in a unit that is shorter than the stored one', () => {
    expect(unitsFrom('day')).toEqual(['day'])
    expect(unitsFrom('second')).toEqual(['day', 'hour', 'minute', 'second'])
  })

  test('that is not a number is kept, so that the field can refuse it', () => {
    expect(storedValue({ amount: 'x', unit: 'hour' }, 'millisecond')).toBe('x')
  })

  test('is said in words', () => {
    expect(durationWords(604_800, 'second')).toBe('7 days')
    expect(durationWords(1, 'day')).toBe('1 day')
  })
})
