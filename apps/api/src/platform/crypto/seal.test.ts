import fc from 'fast-check'
import { expect, test } from 'vitest'
import { open, SecretUnreadable, seal } from './seal.ts'

const key = 'ab'.repeat(32)

test('what is sealed for a row opens for that row', () => {
  fc.assert(
    fc.property(fc.string(), fc.uuid(), (secret, row) => {
      expect(open(key, row, seal(key, row, secret))).toBe(secret)
    }),
  )
})

test('a flipped bit, a cut, another row or another key never opens', () => {
  fc.assert(
    fc.property(fc.string(), fc.uuid(), fc.nat(), fc.nat(7), (secret, row, at, bit) => {
      const sealed = seal(key, row, secret)
      const flipped = Buffer.from(sealed)
      const index = at % flipped.length
      flipped[index] = (flipped[index] as number) ^ (1 << bit)
      for (const [k, r, bytes] of [
        [key, row, flipped],
        [key, row, sealed.subarray(0, at % sealed.length)],
        [key, `${row}x`, sealed],
        ['cd'.repeat(32), row, sealed],
      ] as const) {
        expect(() => open(k, r, bytes)).toThrow(SecretUnreadable)
      }
    }),
  )
})

test('ten thousand seals of one secret never repeat a nonce', () => {
  const nonces = new Set(
    Array.from({ length: 10_000 }, () => seal(key, 'row', 'x').subarray(1, 13).toString('hex')),
  )
  expect(nonces.size).toBe(10_000)
})
