import { expect, test } from 'vitest'
import { localText, periodText, readPeriod } from './period-text.ts'

test('a period is copied with its zone, and is the same moments wherever it is pasted', () => {
  const [from, to] = [new Date('2026-11-21T18:05:00Z'), new Date('2026-11-22T06:00:00Z')]
  const text = periodText({ from: from.toISOString(), to: to.toISOString() }, new Date())
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d[+-]\d\d:\d\d\/\d{4}-\d\d-\d\dT\d\d:\d\d[+-]\d\d:\d\d$/)
  expect(readPeriod(text)).toEqual({ from, to })
  expect(readPeriod('2026-11-21T19:05:00+01:00/2026-11-22T06:00Z')).toEqual({ from, to })
  expect(new Date(localText(from))).toEqual(from)
})

test('an end that is open is now, and a beginning a day before the end', () => {
  const now = new Date('2026-11-22T06:00:00Z')
  expect(readPeriod(periodText({ from: undefined, to: undefined }, now))).toEqual({
    from: new Date('2026-11-21T06:00:00Z'),
    to: now,
  })
})

test.each([
  '',
  'yesterday',
  '2026-11-21T18:00/2026-11-22T18:00',
  '2026-11-22T18:00Z/2026-11-21T18:00Z',
  '2026-13-41T18:00Z/2026-11-22T18:00Z',
  'https://rolecall.example/a/b',
])('%j is no period', (text) => {
  expect(readPeriod(text)).toBeUndefined()
})
