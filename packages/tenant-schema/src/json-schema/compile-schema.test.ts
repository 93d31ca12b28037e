import { describe, expect, test } from 'vitest'
import { parseExactly } from '../json/parse-exactly.ts'
import { compileSchema } from './compile-schema.ts'
import { validateValue } from './validate-value.ts'

const problems = (schema: unknown) => {
  const compiled = compileSchema(schema)
  return 'problems' in compiled ? compiled.problems.map(({ path }) => path) : []
}
const errors = (schema: unknown, value: unknown) => {
  const compiled = compileSchema(schema)
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems))
  return validateValue(compiled.root, value).map(({ path, code }) => `${path} ${code}`)
}

describe('a schema is refused, by place, for', () => {
  test.each<[string, unknown, string[]]>([
    ['a keyword that is not known', { properties: { a: { requird: ['b'] } } }, ['/properties/a/requird']],
    ['$async, which makes every payload pass elsewhere', { $async: true }, ['/$async']],
    [
      '$id, and references to that of another',
      { $id: 'https://a.example/s', $ref: 'https://b.example/s' },
      ['/$id', '/$ref'],
    ],
    [
      '$dynamicRef, $data and old words',
      { $dynamicRef: '#x', minimum: { $data: '/a' }, dependencies: {} },
      ['/$dynamicRef', '/dependencies', '/minimum'],
    ],
    ['a reference to what is no schema', { enum: [{ type: 'string' }], $ref: '#/enum/0' }, ['/$ref']],
    ['references in a circle', { $ref: '#' }, ['']],
    [
      'references in a wider circle',
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
      ['/$defs/a'],
    ],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, ['/$schema']],
    [
      'values that its keywords cannot have',
      {
        type: 'strin',
        minLength: -1,
        required: ['a', 'a'],
        properties: [],
        allOf: [],
        multipleOf: 0,
        uniqueItems: 1,
        enum: [],
      },
      ['/allOf', '/enum', '/minLength', '/multipleOf', '/properties', '/required', '/type', '/uniqueItems'],
    ],
    ['a format that is not known', { format: 'telephone' }, ['/format']],
    ['look-around', { pattern: '(?=a)' }, ['/pattern']],
    ['back-references', { patternProperties: { '(a)\\1': {} } }, ['/patternProperties/(a)\\1']],
    ['repeats beyond a thousand', { pattern: 'a{1001}' }, ['/pattern']],
    ['a pattern that is none', { pattern: '[' }, ['/pattern']],
    ['a pattern of 513 characters', { pattern: 'a'.repeat(513) }, ['/pattern']],
    ['an anchor used twice', { $anchor: 'a', $defs: { x: { $anchor: 'a' } } }, ['/$defs/x/$anchor']],
    ['a schema that is none', { items: 5 }, ['/items']],
    [
      'numbers that it could not be stored with',
      parseExactly('{"enum":[1,700000000000000001],"items":{"maximum":0.1000000000000000000001}}'),
      ['/enum/1', '/items/maximum'],
    ],
    ['a program that is too large', { pattern: '(a{32}){32}b{999}' }, ['/pattern']],
    ['classes that are looked at too often', { pattern: '[\\p{L}\\p{N}]{999}' }, ['/pattern']],
    [
      'more regular expressions than it may have together',
      {
        properties: {
          a: { pattern: '[a-z]{990}' },
          b: { pattern: '[b-z]{990}' },
          c: { allOf: Array.from({ length: 11 }, (_, i) => ({ pattern: `[c-z]{99${i % 10}}${i}` })) },
        },
      },
      ['/properties/c/allOf/10/pattern'],
    ],
  ])('%s', (_, schema, paths) => {
    expect(problems(schema).sort()).toEqual(paths)
  })
})

describe('a value', () => {
  test('has every error of it listed, at its place', () => {
    const schema = {
      properties: {
        list: { items: { type: 'object', required: ['a', 'b'] } },
        n: { type: 'integer', maximum: 3 },
      },
      additionalProperties: false,
    }
    expect(errors(schema, { list: [{ a: 1 }, 5], n: 4.5, 'x/y~': 1 }).sort()).toEqual([
      '/list/0/b REQUIRED',
      '/list/1 TYPE',
      '/n MAXIMUM',
      '/n TYPE',
      '/x~1y~0 UNKNOWN_KEY',
    ])
  })

  test('is measured in decimals, and in code points', () => {
    expect(errors({ multipleOf: 0.01 }, 19.99)).toEqual([])
    expect(errors({ multipleOf: 0.01 }, 19.999)).toEqual([' MULTIPLE_OF'])
    expect(errors({ maxLength: 2 }, '😀😀')).toEqual([])
    expect(errors({ minLength: 3 }, '😀😀')).toEqual([' MIN_LENGTH'])
  })

  test.each<[string, unknown, string, string[]]>([
    ['below its maximum', { maximum: 700000000000000000 }, '700000000000000001', [' MAXIMUM']],
    ['at its minimum', { minimum: 700000000000000000 }, '699999999999999999', [' MINIMUM']],
    ['exclusively', { exclusiveMinimum: 0.1 }, '0.10000000000000000001', []],
    ['exclusively, from above', { exclusiveMaximum: -1 }, '-0.99999999999999999999', [' EXCLUSIVE_MAXIMUM']],
    ['by const', { const: 700000000000000000 }, '700000000000000001', [' CONST']],
    ['by enum', { enum: [700000000000000000, {}] }, '700000000000000001', [' ENUM']],
    ['as a multiple', { multipleOf: 10 }, '700000000000000001', [' MULTIPLE_OF']],
    ['as a multiple, which it is', { multipleOf: 3 }, '700000000000000001', [' MULTIPLE_OF']],
    ['as a multiple of a decimal', { multipleOf: 0.01 }, '700000000000000001.25', []],
    ['as an integer', { type: 'integer' }, '700000000000000001.000', []],
    ['as no integer', { type: 'integer' }, '7000000000000000.5001', [' TYPE']],
    [
      'as a number and no object',
      { type: 'number', required: ['a'], minProperties: 1 },
      '1.00000000000000000001',
      [],
    ],
    ['as no object', { type: ['object', 'string'] }, '1.00000000000000000001', [' TYPE']],
    ['among items', { uniqueItems: true }, '[700000000000000001,700000000000000000]', []],
    [
      'among equal items',
      { uniqueItems: true },
      '[700000000000000001,7.00000000000000001e17]',
      [' UNIQUE_ITEMS'],
    ],
    ['unless no reader could keep it', {}, '[1e400]', [' NUMBER']],
  ])('is taken as it was written, not as a double would hold it: %s', (_, schema, text, expected) => {
    expect(errors(schema, parseExactly(text))).toEqual(expected)
  })

  test('has its formats asserted', () => {
    expect(errors({ format: 'email' }, 'ada@site.example')).toEqual([])
    expect(errors({ format: 'email' }, 'ada')).toEqual([' FORMAT'])
    expect(errors({ format: 'date-time' }, '2026-02-30T00:00:00Z')).toEqual([' FORMAT'])
    expect(errors({ format: 'uri' }, 'https://site.example/a?b=c')).toEqual([])
  })

  test('may nest as the schema does, and is refused where it nests or counts beyond all measure', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
    expect(errors(tree, { children: [{ children: [{}] }, { children: 5 }] })).toEqual([
      '/children/1/children TYPE',
    ])
    expect(errors(tree, JSON.parse('['.repeat(100) + ']'.repeat(100)))).toEqual([' DEPTH'])
    expect(errors({}, JSON.parse('1e400'))).toEqual([' NUMBER'])
  })

  test('finds no keys on prototypes', () => {
    expect(errors({ required: ['toString', '__proto__'] }, {})).toEqual([
      '/toString REQUIRED',
      '/__proto__ REQUIRED',
    ])
    const planted = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
    expect(errors(planted, JSON.parse('{"__proto__":5}'))).toEqual(['/__proto__ TYPE'])
    expect(errors({ enum: [{ a: 1 }] }, { toString: '', valueOf: 1 })).toEqual([' ENUM'])
  })
})
