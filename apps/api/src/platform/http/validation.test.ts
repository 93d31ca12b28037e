import { type EndpointDefinition, endpoints, sessions } from '@rolecall/contract'
import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { readBody } from './read-body.ts'
import { compile } from './validation.ts'

const check = compile(sessions.exchangeCode.body)
const good = { clientId: 'c', code: 'x', redirectUri: 'https://site.example/' }

/** Every `pattern` anywhere in a schema. */
const patternsIn = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null
    ? Object.entries(schema).flatMap(([key, value]) =>
        key === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
      )
    : []

describe('validation', () => {
  test('a good body has no problems', () => {
    expect(check(good)).toEqual([])
  })

  test('every problem is listed at once, each with its place', () => {
    const found = check({ clientId: 1, code: '', redirectUri: null, extra: true, 'a/b~c': 1 })
    expect(found.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      '/a~1b~0c UNKNOWN_KEY',
      '/clientId TYPE',
      '/code MIN_LENGTH',
      '/extra UNKNOWN_KEY',
      '/redirectUri TYPE',
    ])
  })

  test('nothing is coerced or silently dropped', () => {
    for (const code of [['x'], 5, true, null, { x: 1 }]) {
      const body = { ...good, code }
      expect(check(body).map(({ path }) => path)).toEqual(['/code'])
      expect(body.code).toBe(code)
    }
  })

  test('a value that does not match a pattern of the contract gets the rule in words', () => {
    const asked = endpoints.flatMap(({ params, query, body }: EndpointDefinition) => [params, query, body])
    const patterns = new Set(asked.flatMap((schema) => patternsIn(schema)))
    expect(patterns.size).toBeGreaterThan(3)
    for (const pattern of patterns) {
      const [problem] = compile(Type.Object({ it: Type.String({ pattern }) }))({ it: '\\(x)' })
      expect(problem?.code).toBe('PATTERN')
      expect(problem?.message, pattern).toMatch(/^must be \S+ \S+/)
      expect(problem?.message).not.toMatch(/pattern|\[(?!::1\])|\^|\\/)
    }
  })

  test('any JSON value at all is judged, never thrown over', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const problem of check(value)) {
          expect(problem.code).toMatch(/^[A-Z_]+$/)
          expect(problem.message).not.toBe('')
        }
      }),
      { numRuns: 500 },
    )
  })

  test('NUL and lone surrogates are refused wherever they stand: no table or header takes them', () => {
    expect(check({ ...good, code: 'a\0b' })).toEqual([
      { path: '/code', message: 'must not contain NUL', code: 'NUL' },
    ])
    expect(check({ ...good, code: '\ud800' })).toMatchObject([{ path: '/code', code: 'UNICODE' }])
    expect(check({ ...good, 'k\0': 1 }).map(({ code }) => code)).toContain('NUL')
  })

  test('a value nested 400,000 levels deep is refused like any other, not by a stack overflow', () => {
    const deep: unknown = JSON.parse('['.repeat(400_000) + ']'.repeat(400_000))
    expect(check(deep).map(({ code }) => code)).toContain('TYPE')
    expect(check({ ...good, extra: deep }).map(({ path }) => path)).toContain('/extra')
  })

  test('planted prototype keys are unknown keys, and change nothing', () => {
    const body = readBody(
      'application/json',
      undefined,
      Buffer.from(`{"__proto__":{"code":"x"},"clientId":"c","redirectUri":"r"}`),
    )
    expect(
      check(body)
        .map(({ path, code }) => `${path} ${code}`)
        .sort(),
    ).toEqual(['/__proto__ UNKNOWN_KEY', '/code REQUIRED'])
    expect(({} as Record<string, unknown>)['code']).toBeUndefined()
  })
})

describe('readBody', () => {
  const read = (type: string | undefined, text: string | Uint8Array, encoding?: string) => {
    try {
      return readBody(type, encoding, Buffer.from(text as string))
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test('JSON of any shape is read as it was sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(read('application/json', JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('only application/json is JSON, with parameters or without', () => {
    for (const yes of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON ;x=y']) {
      expect(read(yes, '1'), yes).toBe(1)
    }
    for (const no of [
      undefined,
      '',
      'text/plain',
      'application/jsonx',
      'application/json,text/plain',
      'application/json garbage',
    ]) {
      expect(read(no, '1'), no).toBe('UNSUPPORTED_MEDIA_TYPE')
    }
    expect(read('application/json', '1', 'gzip')).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(read('application/json', '1', 'identity')).toBe(1)
  })

  test('bytes that are not UTF-8, or not JSON, are malformed', () => {
    for (const no of [Uint8Array.of(0x22, 0xff, 0x22), '', '{', "{'a':1}", '{"a":1}x', '\ufeff{}']) {
      expect(read('application/json', no)).toBe('MALFORMED_JSON')
    }
  })

  test('100,000 levels of nesting are refused or read, and never take the process down', () => {
    expect(['MALFORMED_JSON', 'object']).toContain(
      ((result) => (typeof result === 'string' ? result : typeof result))(
        read('application/json', '['.repeat(100_000) + ']'.repeat(100_000)),
      ),
    )
  })
})
