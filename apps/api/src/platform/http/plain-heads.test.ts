import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PlainHeadReader } from './plain-heads.ts'
import { type PlainHead, readPlainHead } from './plain-request.ts'

/** Returns a head as values that can be compared, because a head is only valid until the next one is read. */
const copyOf = (head: PlainHead | undefined) => head && { ...head, headers: Object.entries(head.headers) }

const sameAsWhole = (heads: readonly string[]) => {
  const reader = new PlainHeadReader()
  for (const head of heads) expect(copyOf(reader.read(head)), head).toEqual(copyOf(readPlainHead(head)))
}

const requestLine = fc.constantFrom(
  ...['GET /a HTTP/1.1', 'GET /b?x=1 HTTP/1.1', 'POST /a HTTP/1.1', 'PUT /a HTTP/1.1', 'GET /a HTTP/1.0'],
  ...['GET  /a HTTP/1.1', 'GET /a HTTP/1.1 ', 'GET /é HTTP/1.1'],
)
const name = fc.constantFrom(
  ...[
    'Host',
    'host',
    'Cookie',
    'X-API-Key',
    'Connection',
    'Content-Length',
    'X-Other',
    'x-other',
    '__proto__',
  ],
  ...['Transfer-Encoding', 'Expect', 'Content-Length ', ' Host', 'Ho st', ''],
)
const value = fc.oneof(
  fc.constantFrom(' x', 'x ', '\tx\t', ' keep-alive', ' close', ' 1', ' 10', ' 01', ' ', '', ' a:b', ' a b'),
  fc.constantFrom(' x\r', ' x\n', ' x\0', ' é', ' x\r\nHost: y', ' x\r\nX-Other: y', ' x\r\n', ' \r\n\tx'),
  fc.string({ maxLength: 12 }).map((text) => ` ${text}`),
)
const line = fc.tuple(name, value).map((pair) => pair.join(':'))
const usualLines = ['GET /a HTTP/1.1', 'Host: x', 'Cookie: a=1', 'X-Other: y', 'Connection: keep-alive']

describe('the heads of one connection', () => {
  test('are read like each alone, with any changes between them', () => {
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.record({ at: fc.nat(6), value }) },
      fc.record({ at: fc.nat(6), line }),
      fc.record({ requestLine }),
      fc.record({ at: fc.nat(6), added: line }),
      fc.record({ removed: fc.nat(6) }),
      fc.record({ again: fc.constant(true) }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 24 }), (changes) => {
        let lines = usualLines
        const heads = [lines.join('\r\n')]
        for (const one of changes) {
          const next = [...lines]
          if ('value' in one) next[one.at] = `${lines[one.at]?.split(':')[0] ?? 'X-New'}:${one.value}`
          else if ('line' in one) next[one.at] = one.line
          else if ('requestLine' in one) next[0] = one.requestLine
          else if ('added' in one) next.splice(one.at, 0, one.added)
          else if ('removed' in one) next.splice(one.removed, 1)
          const head = next.filter((text) => text !== undefined).join('\r\n')
          heads.push(head)
          // The connection goes on only after a plain head. Otherwise, the next head differs from the last plain one.
          if (readPlainHead(head)) lines = head.split('\r\n')
        }
        sameAsWhole(heads)
      }),
      { numRuns: 3_000 },
    )
  })

  test('differ in the cookie alone, as those of a proxy do, and each is read with its own', () => {
    const headOf = (cookie: string) => `GET /a HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nX-Other: y`
    const reader = new PlainHeadReader()
    const heads = ['one', 'two', 'three', 'four'].map((cookie) => {
      const { headers } = reader.read(headOf(cookie)) as PlainHead
      return { headers, cookie: headers.cookie }
    })
    expect(heads.map(({ cookie }) => cookie)).toEqual(['one', 'two', 'three', 'four'])
    // From the third one on, only the cookie is read.
    expect(heads[2]?.headers).toBe(heads[1]?.headers)
    expect(heads[3]?.headers).toBe(heads[1]?.headers)
    // Lines in the value of the cookie are lines of their own.
    expect(reader.read(headOf('five\r\nHost: y'))).toBeUndefined()
  })

  test('of ever new forms are read, too, however many there are', () => {
    sameAsWhole(
      Array.from({ length: 40 }, (_, i) => `GET /a HTTP/1.1\r\nHost: x\r\nX-${i % 7}: ${i}\r\nX-Same: ${i}`),
    )
  })
})
