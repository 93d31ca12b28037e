import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { open, seal } from './seal.ts'

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const row = fc.uuid()
const secret = fc.string({ unit: 'binary', maxLength: 600 })

describe('sealed secrets', () => {
  test('open to what was sealed, under the same key and for the same row', () => {
    fc.assert(fc.property(key, row, secret, (k, id, text) => open(k, id, seal(k, id, text)) === text))
  })

  test('start with a version byte and never contain the secret', () => {
    const sealed = seal('a'.repeat(64), 'row', 'a secret worth hiding')
    expect(sealed[0]).toBe(1)
    expect(sealed.includes('secret')).toBe(false)
  })

  test('do not open with any one bit flipped', () => {
    const arbitraryBit = fc.nat()
    fc.assert(
      fc.property(key, row, secret, arbitraryBit, (k, id, text, at) => {
        const sealed = seal(k, id, text)
        const bit = at % (sealed.length * 8)
        sealed[bit >> 3] = (sealed[bit >> 3] as number) ^ (1 << (bit & 7))
        return open(k, id, sealed) === undefined
      }),
      { numRuns: 500 },
    )
  })

  test('do not open cut off anywhere, nor with bytes added', () => {
    fc.assert(
      fc.property(key, row, secret, fc.nat(), (k, id, text, at) => {
        const sealed = seal(k, id, text)
        const cut = sealed.subarray(0, at % sealed.length)
        const longer = Buffer.concat([sealed, Buffer.of(at & 0xff)])
        return open(k, id, cut) === undefined && open(k, id, longer) === undefined
      }),
    )
  })

  test('do not open in another row or under another key', () => {
    fc.assert(
      fc.property(key, key, row, row, secret, (k, other, id, otherId, text) => {
        fc.pre(k !== other && id !== otherId)
        const sealed = seal(k, id, text)
        return open(other, id, sealed) === undefined && open(k, otherId, sealed) === undefined
      }),
    )
  })

  test('never repeat a nonce', () => {
    const nonces = new Set<string>()
    for (let i = 0; i < 100_000; i++) {
      nonces.add(seal('b'.repeat(64), 'row', '').subarray(1, 13).toString('base64'))
    }
    expect(nonces.size).toBe(100_000)
  })
})
