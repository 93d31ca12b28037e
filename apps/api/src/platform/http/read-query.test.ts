import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { readQuery } from './read-query.ts'
import { compile } from './validation.ts'

const schema = Type.Object(
  {
    text: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    isActive: Type.Optional(Type.Boolean()),
    roleId: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
const check = compile(schema)
const read = (search: string) => ({ ...readQuery(search, schema).value })
const codes = (search: string) => {
  const { value, problems } = readQuery(search, schema)
  return [...problems, ...check(value)].map(({ path, code }) => `${path} ${code}`)
}

describe('readQuery', () => {
  test('any text survives percent-encoding, byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(read(`text=${encodeURIComponent(text)}`)).toEqual({ text })
        expect(read(`${new URLSearchParams({ text })}`)).toEqual({ text })
      }),
    )
  })

  test('plain digits become a number, and nothing else does', () => {
    expect(read('limit=42')).toEqual({ limit: 42 })
    for (const no of ['0x10', '1e2', '+5', '-1', '5.0', ' 5', '٥', '', 'NaN', '9'.repeat(16)]) {
      expect(codes(`limit=${encodeURIComponent(no)}`), no).not.toEqual([])
    }
  })

  test('only true and false are booleans', () => {
    expect(read('isActive=true')).toEqual({ isActive: true })
    for (const no of ['1', 'TRUE', 'yes', '', 'true,true']) {
      expect(codes(`isActive=${no}`), no).toEqual(['/isActive TYPE'])
    }
  })

  test('a repeated parameter is a list where the schema has one, and refused elsewhere', () => {
    expect(read('roleId=1,2&roleId=3')).toEqual({ roleId: ['1', '2', '3'] })
    expect(readQuery('text=a&text=b', schema).problems).toEqual([
      { path: '/text', message: 'must not be repeated', code: 'REPEATED' },
    ])
    expect(codes('text=a&text=b')).toEqual(['/text REPEATED'])
    expect(codes('other=a&other=b')).toEqual(['/other UNKNOWN_KEY'])
    expect(codes('text[]=a')).toEqual(['/text[] UNKNOWN_KEY'])
  })

  test('what is not percent-encoded UTF-8 is one problem among all the others', () => {
    expect(codes('text=%ff&limit=0&nonsense=1').sort()).toEqual([
      '/limit MINIMUM',
      '/nonsense UNKNOWN_KEY',
      '/text ENCODING',
    ])
  })

  test('names of object prototypes are ordinary unknown names', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(codes(`${name}=1`), name).toEqual([`/${name} UNKNOWN_KEY`])
    }
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })

  test('no query string of a client makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (search) => {
        const { value } = readQuery(search, schema)
        check(value)
      }),
      { numRuns: 1_000 },
    )
  })
})
