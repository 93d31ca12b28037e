import fc from 'fast-check'
import { expect, test } from 'vitest'
import { equalInConstantTime } from './equal.ts'

// Node's own comparison throws when the lengths differ, which a client must never be able to cause.
test('secrets of any two lengths compare without an error, and are equal exactly when they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(equalInConstantTime(a, a)).toBe(true)
      expect(equalInConstantTime(a, b)).toBe(a === b)
    }),
  )
})
