import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formats } from './formats.ts'

const isDateTime = formats['date-time']

test.each([
  '1970-01-01',
  '9999-12-31',
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:00:00-01:00',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31t23:59:59z',
  '9999-12-31T00:00:00-23:59',
  '9999-12-31T23:59:59+23:59',
  '2024-02-29T12:00+05:45',
])('%s is a moment', (text) => expect(isDateTime(text)).toBe(true))

test.each([
  // In UTC, each of these is in the year 10000, for which PostgreSQL and ISO 8601 have no four digits.
  '9999-12-31T23:59:59-23:00',
  '9999-12-31T23:59:59.999999999+00:00',
  '9999-12-31T23:59:59.9999999Z',
  '9999-12-31T00:01:00-23:59',
  // And these are before 1970.
  '1969-12-31',
  '1970-01-01T00:00:00+00:01',
  '0001-01-01',
  '0000-01-01',
  '0070-01-01',
  '2026-02-29',
  '2026-13-01',
  '2026-12-31T23:59:60Z',
  '2026-12-31T24:00:00Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00',
  '+010000-01-01',
  '1969-12-31T23:59:59.9999Z',
])('%s is none', (text) => expect(isDateTime(text)).toBe(false))

test('every moment that passes is one to JavaScript, has a year of four digits, and is the one that was written', () => {
  const digits = (n: number) => fc.nat(10 ** n - 1).map((value) => String(value).padStart(n, '0'))
  const year = fc.oneof(fc.constantFrom('1969', '1970', '9998', '9999'), digits(4))
  const two = fc.oneof(fc.constantFrom('01', '12', '23', '28', '31', '59'), digits(2))
  const fraction = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 9 }).map((n) => `.${'9'.repeat(n)}`),
  )
  const zone = fc.oneof(
    fc.constant('Z'),
    fc.tuple(fc.constantFrom('+', '-'), two, two).map(([s, h, m]) => `${s}${h}:${m}`),
  )
  const text = fc
    .tuple(year, two, two, two, two, two, fraction, zone)
    .map(([y, mo, d, h, mi, s, f, z]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${f}${z}`)
  fc.assert(
    fc.property(text, (value) => {
      if (!isDateTime(value)) return
      const date = new Date(value)
      expect(date.toISOString()).toMatch(/^(19[7-9]|[2-9]\d\d)\d-/)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['10000000000000000', true],
  ['9223372036854775807', true],
  ['9223372036854775808', true],
  ['18446744073709551615', true],
  ['18446744073709551616', false],
  ['99999999999999999999', false],
  ['01234567890123456', false],
  ['1e18', false],
] as const)('%s as an id of the platform: %s', (text, isOne) => expect(formats.snowflake(text)).toBe(isOne))
