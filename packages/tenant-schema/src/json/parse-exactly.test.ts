import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExactNumber } from './exact-number.ts'
import { DuplicateKey, parseExactly } from './parse-exactly.ts'

describe('parseExactly', () => {
  test('says what JSON.parse says of every value that JSON.stringify wrote, however it is spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(parseExactly(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test('refuses what JSON.parse refuses', () => {
    for (const text of ['', '{', '"', '[1,]', "{'a':1}", '01', '1.', '"\\', '{"a"}', 'NaN', '[1 2]']) {
      expect(() => parseExactly(text), text).toThrow(SyntaxError)
    }
  })

  test.each([
    '700000000000000001',
    '-9007199254740993',
    '0.1000000000000000055511151231257827',
    '1.00000000000000000000000000000001e5',
    '4.9406564584124654e-324',
  ])('keeps %s, which a double does not hold', (source) => {
    expect(parseExactly(`{"a":[${source}]}`)).toEqual({ a: [expect.any(ExactNumber)] })
  })

  test.each([
    '700000000000000000',
    '9007199254740993.0e-1',
    '1e21',
    '0.30000000000000000000',
    '-0',
    '5e-324',
  ])('reads %s as JSON.parse does where a double holds it', (source) => {
    const held = source === '9007199254740993.0e-1' ? expect.anything() : Number(source)
    expect(parseExactly(source)).toEqual(held)
  })

  test.each(['1e400', '-1e400', '1e-400', `0.${'12'.repeat(300)}`])(
    'reads %s, which is beyond all readers, as no number',
    (source) => {
      expect(parseExactly(source)).toBeNaN()
    },
  )

  test('orders every number as it was written', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    fc.assert(
      fc.property(digits, fc.integer(), (long, limit) => {
        const read = parseExactly(String(long))
        const sign = long < BigInt(limit) ? -1 : long > BigInt(limit) ? 1 : 0
        const found = read instanceof ExactNumber ? read.compare(limit) : (read as number) - limit
        expect(Math.sign(found)).toBe(sign)
      }),
    )
    const close = parseExactly('700000000000000001')
    expect(close instanceof ExactNumber && close.compare(700000000000000000)).toBe(1)
  })

  test.each([
    '{"a":1,"a":1}',
    '[{"b":{"a":1,"\\u0061":2}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"":0,"":0}',
    '{"a":":","b":{"c":[{}]},"a":"{"}',
  ])('refuses %s: a key that stands there twice', (text) => {
    expect(() => parseExactly(text)).toThrow(DuplicateKey)
  })

  test('takes braces, colons and digits in texts for what they are', () => {
    const value = { 'a:{"1': '700000000000000001:{[', '\\': '"\\":1', b: [{ a: ':' }] }
    expect(parseExactly(JSON.stringify(value))).toEqual(value)
  })

  test('keeps an own key named __proto__ beside an exact number', () => {
    const value = parseExactly('{"__proto__":{"x":700000000000000001}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
  })

  test('takes no text for a number, and writes an exact number to a key named __proto__', () => {
    const value = parseExactly('{"2":"0","1":700000000000000001,"__proto__":1e400,"a":["1",1e-400]}')
    expect(value).toMatchObject({ 1: expect.any(ExactNumber), 2: '0', a: ['1', Number.NaN] })
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBeNaN()
  })

  test('holds every number of at most 15 digits, and says of others what its digits say', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n })
    fc.assert(
      fc.property(digits, fc.integer({ min: -320, max: 292 }), (whole, power) => {
        const source = `${whole}e${power}`
        const value = Number(source)
        const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
        const shift = Number(exponent) - (mantissa.split('.')[1]?.length ?? 0) - power
        const held = BigInt(mantissa.replace('.', ''))
        const isHeld =
          shift >= 0 ? held * 10n ** BigInt(shift) === whole : held === whole * 10n ** BigInt(-shift)
        const read = parseExactly(source)
        if (isHeld || whole === 0n) expect(read).toBe(value)
        else if (value === 0) expect(read).toBeNaN()
        else expect(read).toBeInstanceOf(ExactNumber)
        if (power >= -290) expect(read).toBe(value)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '1e5',
    '1E-9',
    '1.5e3',
    '1e308',
    '1e400',
    '1e-400',
    '6e-324',
    '123e-324',
    '700000000000000001',
    '0.12345678901234567',
  ])('256 KiB of %s delay no other request', (source) => {
    const text = `[700000000000000001,${Array(Math.floor((256 * 1024 - 21) / (source.length + 1))).fill(source)}]`
    // The goal is 20 on an idle machine.
    const maxMs = 60
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 20 && least >= maxMs; tries++) {
      const before = process.cpuUsage()
      parseExactly(text)
      const { user, system } = process.cpuUsage(before)
      least = Math.min(least, (user + system) / 1_000)
    }
    expect(least).toBeLessThan(maxMs)
  })

  test('is not ended by depth', () => {
    const deep = `${'['.repeat(100_000)}700000000000000001${']'.repeat(100_000)}`
    expect(Array.isArray(parseExactly(deep))).toBe(true)
  })
})
