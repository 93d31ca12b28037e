import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readIp, readUserAgent } from './client-info.ts'

describe('readIp', () => {
  test('takes addresses and nothing else', () => {
    for (const yes of ['203.0.113.9', ' 203.0.113.9 ', '::1', '2001:db8::1', '::ffff:203.0.113.9']) {
      expect(readIp(yes)).toBe(yes.trim())
    }
    for (const no of [undefined, '', 'localhost', '1.2.3', '1.2.3.4:80', "1.2.3.4'; drop table", ['::1']]) {
      expect(readIp(no)).toBeNull()
    }
  })
})

describe('readUserAgent', () => {
  const asHeader = (text: string) => Buffer.from(text).toString('latin1')

  test('keeps what browsers write, UTF-8 included', () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64) Grüße/1.0 🌊'
    expect(readUserAgent(asHeader(agent))).toBe(agent)
  })

  test('stores any bytes as short, printable, well-formed text, or as null', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const stored = readUserAgent(Buffer.from(bytes).toString('latin1'))
        if (stored === null) return
        expect(stored.length).toBeLessThanOrEqual(512)
        expect(stored.isWellFormed()).toBe(true)
        expect(stored).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
  })

  test('terminal escapes, line breaks and direction overrides are taken out', () => {
    expect(readUserAgent(asHeader('a\u001b[31mb\r\nc\u202ed\0'))).toBe('a[31mbcd')
    expect(readUserAgent(undefined)).toBeNull()
    expect(readUserAgent('')).toBeNull()
  })
})
