import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from './compile-schema.ts'
import { validateValue } from './validate-value.ts'

/** A few hundred in each run; 10,000 by `JSON_SCHEMA_RUNS=10000`. */
const numRuns = Number(process.env['JSON_SCHEMA_RUNS'] ?? 400)

// Without `toString`: Ajv calls it if it compares with an object in `enum`.
const key = fc.constantFrom('a', 'b', 'c', 'ab', '__proto__', 'hasOwnProperty')
const text = fc.constantFrom('', 'a', 'ab', 'abc', '😀', '😀b', 'B1', '2026-01-31', 'é')
const count = fc.nat({ max: 3 })
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 6 }),
  fc.constantFrom(0.5, 1.5),
  text,
)

/** Makes objects that may have an own key named `__proto__`, as JSON.parse makes them. */
const record = <T>(values: fc.Arbitrary<T>, maxKeys = 3) =>
  fc.uniqueArray(fc.tuple(key, values), { maxLength: maxKeys, selector: ([name]) => name }).map((entries) => {
    const made: Record<string, T> = {}
    for (const [name, value] of entries) {
      Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true })
    }
    return made
  })

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    record(tie('value')),
  ),
}))

const types = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object')
const pattern = fc.constantFrom('^a', 'b$', '^[a-z]+$', '\\d', '^(a|b)*$', '.', '^_')

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      types.map((type) => ({ type })),
      fc
        .record(
          {
            type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
            enum: fc.uniqueArray(value, {
              minLength: 1,
              maxLength: 3,
              comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
            }),
            const: value,
            minimum: fc.integer({ min: -2, max: 4 }),
            exclusiveMaximum: fc.integer({ min: -2, max: 4 }),
            multipleOf: fc.constantFrom(1, 2, 3, 0.5),
            minLength: count,
            maxLength: count,
            pattern,
            minItems: count,
            maxItems: count,
            uniqueItems: fc.boolean(),
            prefixItems: list,
            items: inner,
            contains: inner,
            minContains: count,
            maxContains: count,
            minProperties: count,
            maxProperties: count,
            required: fc.uniqueArray(key, { maxLength: 2 }),
            properties: record(inner),
            patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
            additionalProperties: inner,
            propertyNames: inner,
            dependentRequired: record(fc.uniqueArray(key, { maxLength: 2 }), 2),
            dependentSchemas: record(inner, 2),
            unevaluatedProperties: inner,
            allOf: list,
            anyOf: list,
            oneOf: list,
            not: inner,
            if: inner,
            // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
            then: inner,
            else: inner,
            $ref: fc.constantFrom('#/$defs/x', '#/$defs/y', '#', '#x'),
          },
          { requiredKeys: [] },
        )
        .map((full) => Object.fromEntries(Object.entries(full).slice(0, 5))),
    ),
  }
})

const whole = fc.tuple(schema, schema, schema).map(([root, x, y]) => ({
  ...(typeof root === 'object' ? root : { allOf: [root] }),
  $defs: { x: typeof x === 'object' ? { $anchor: 'x', ...x } : { $anchor: 'x', allOf: [x] }, y },
}))

describe('tenants’ schemas, held against a second validator', () => {
  test('say of every value what Ajv says of it', () => {
    let compared = 0
    let accepted = 0
    fc.assert(
      fc.property(whole, fc.array(value, { minLength: 1, maxLength: 12 }), (tenantSchema, values) => {
        const compiled = compileSchema(JSON.parse(JSON.stringify(tenantSchema)))
        if ('problems' in compiled) return
        const ajv = new Ajv2020({
          strict: false,
          ownProperties: true,
          validateFormats: false,
          validateSchema: false,
        })
        const second = ajv.compile(tenantSchema)
        for (const one of values) {
          const errors = validateValue(compiled.root, one)
          compared += 1
          if (errors.length === 0) accepted += 1
          expect(errors.length === 0, JSON.stringify({ tenantSchema, one, errors })).toBe(second(one))
        }
      }),
      { numRuns },
    )
    // Neither side may be trivial: a schema that accepts nothing compares nothing.
    expect(compared).toBeGreaterThan(numRuns)
    expect(accepted).toBeGreaterThan(compared / 20)
  })
})
