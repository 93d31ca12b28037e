import { formats } from '@rolecall/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uuidv7 } from './uuid.ts'

const someTime = fc.integer({ min: 0, max: 2 ** 48 - 1 })

test('an id is a UUID of version 7 and variant 10, and its first 48 bits are the time', () => {
  fc.assert(
    fc.property(someTime, (now) => {
      const id = uuidv7(now)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(formats.uuid(id)).toBe(true)
      expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(now)
    }),
  )
})

test('ids sort by the time of their making', () => {
  fc.assert(
    fc.property(someTime, someTime, (a, b) => {
      fc.pre(a < b)
      expect(uuidv7(a) < uuidv7(b)).toBe(true)
    }),
  )
})

test('ids of one millisecond do not repeat', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => uuidv7(1))).size).toBe(10_000)
})
