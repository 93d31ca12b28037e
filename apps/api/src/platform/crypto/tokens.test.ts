import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { credentialPattern, credentialsIn } from '../../../test/secrets.ts'
import { deriveToken, digestOf, isWellFormed, keyPrefixOf, mintToken, type TokenKind } from './tokens.ts'

const kinds: readonly TokenKind[] = ['apiKey', 'session', 'refresh', 'code', 'sso', 'request']
const kind = fc.constantFrom(...kinds)
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('tokens', () => {
  test('each kind has its prefix, 43 characters of randomness and a checksum of 6', () => {
    expect(mintToken('apiKey')).toMatch(/^rck_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/)
    expect(mintToken('session')).toMatch(/^rcs_[0-9A-Za-z]{49}$/)
    expect(mintToken('refresh')).toMatch(/^rcr_[0-9A-Za-z]{49}$/)
    expect(mintToken('code')).toMatch(/^rcc_[0-9A-Za-z]{49}$/)
    expect(keyPrefixOf(mintToken('apiKey'))).toMatch(/^rck_[0-9A-Za-z]{8}$/)
  })

  test('a token is well-formed as its own kind, and as no other', () => {
    for (const one of kinds) {
      const token = mintToken(one)
      expect(kinds.filter((other) => isWellFormed(other, token))).toEqual([one])
    }
  })

  test('the checksum refuses every change of one character, at every place', () => {
    fc.assert(
      fc.property(
        kind,
        fc.nat(),
        fc.constantFrom(...base62, '_', '-', ' ', 'é', '\0'),
        (one, place, other) => {
          const token = mintToken(one)
          const at = place % token.length
          fc.pre(token[at] !== other)
          expect(isWellFormed(one, token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('truncated, lengthened, padded, lower-cased or arbitrary text is refused, and never throws', () => {
    fc.assert(
      fc.property(kind, fc.string({ unit: 'binary', maxLength: 200 }), (one, text) => {
        const token = mintToken(one)
        for (const bad of [text, token + text.slice(0, 1), text.slice(0, 1) + token]) {
          expect(isWellFormed(one, bad)).toBe(bad === token)
        }
        expect(isWellFormed(one, token.slice(0, -1))).toBe(false)
        expect(isWellFormed(one, ` ${token}`)).toBe(false)
        expect(isWellFormed(one, token.toLowerCase())).toBe(token === token.toLowerCase())
      }),
      { numRuns: 500 },
    )
    expect(isWellFormed('session', 'x'.repeat(1_000_000))).toBe(false)
  })

  test('the scanner’s pattern finds 10,000 of 10,000 credentials and none in random ids and hashes', () => {
    const minted = Array.from({ length: 10_000 }, (_, i) => mintToken(kinds[i % kinds.length] as TokenKind))
    expect(new Set(minted).size).toBe(minted.length)
    for (const token of minted) expect(credentialsIn(`x="${token}",`)).toEqual([token])

    const noise = Array.from({ length: 10_000 }, () =>
      [
        randomUUID(),
        createHash('sha256').update(randomBytes(8)).digest('hex'),
        digestOf(randomUUID()),
        Array.from(randomBytes(60), (byte) => base62[byte % 62]).join(''),
      ].join(' '),
    ).join('\n')
    expect(noise.match(credentialPattern)).toBeNull()
  })

  test('every place of a token is random: no character is fixed or rare', () => {
    const seen = Array.from({ length: 43 }, () => new Set<string>())
    for (let i = 0; i < 2_000; i++) {
      const token = mintToken('session')
      for (const [place, characters] of seen.entries()) characters.add(token[4 + place] as string)
    }
    // The first digit of 256 bits in base 62 reaches only a part of the alphabet.
    for (const characters of seen.slice(1)) expect(characters.size).toBe(62)
  })

  test('a derived token is its 256 bits in base 62, in every version', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (key, secret) => {
        const bits = createHmac('sha256', key).update(`code of ${secret}`).digest('hex')
        let number = BigInt(`0x${bits}`)
        let expected = ''
        for (let i = 0; i < 43; i++) {
          expected = base62[Number(number % 62n)] + expected
          number /= 62n
        }
        expect(deriveToken('code', key, secret).slice(4, 47)).toBe(expected)
      }),
    )
  })

  test('what is stored is a digest that does not contain the token', () => {
    const token = mintToken('session')
    expect(digestOf(token)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(digestOf(token)).toBe(createHash('sha256').update(token).digest('base64url'))
  })
})
