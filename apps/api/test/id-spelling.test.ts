import { type Schema as ContractSchema, exampleOf } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { compile } from '../src/platform/http/validation.ts'
import { branchesOf, propertiesOf, rowsOf, type Schema } from './requests.ts'

const lower = '0190abcd-0000-7000-8000-00000000abcd'
const isId = ({ format }: Schema) => format === 'uuid' || format === 'id'

/** Returns the places of IDs in a schema, as paths of keys. */
function placesOf(schema: Schema, place: string[] = []): string[][] {
  if (isId(schema)) return [place]
  return [
    ...propertiesOf(schema).flatMap(([key, one]) => placesOf(one, [...place, key])),
    ...(schema.items ? placesOf(schema.items, [...place, '[]']) : []),
    ...(schema.anyOf ?? []).flatMap((one) => placesOf(one, place)),
  ]
}

const parts = rowsOf(() => true).flatMap(([name, { params, query, body }]) =>
  Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema && placesOf(schema).length > 0 ? [[`${part} of ${name}`, schema] as const] : [],
  ),
)

describe('ids in requests', () => {
  test('are looked for at all', () => {
    expect(parts.length).toBeGreaterThan(20)
  })

  test.each(parts)('%s: each has one spelling behind the edge', (_, schema) => {
    const check = compile(schema)
    for (const place of placesOf(schema)) {
      // The service converts IDs only at the top level. A schema with a deeper ID needs another solution.
      expect(place).toHaveLength(1)
      const [key = ''] = place
      const named = propertiesOf(schema).map(([name, one]) => [name, specimen(name === key, one)])
      const value = Object.fromEntries(named)
      expect(check(value)).toEqual([])
      expect(value[key]).toBe(lower)
    }
  })
})

const samples: Record<string, string> = { snowflake: '1100089314336833537', 'date-time': '2026-01-31' }

function specimen(isAsked: boolean, schema: Schema): unknown {
  const [{ format = '', type, enum: words, pattern, items = {} }] = branchesOf(schema) as [Schema]
  if (isAsked) return lower.toUpperCase()
  if (words) return words[0]
  if (isId({ format })) return lower
  if (type === 'boolean') return true
  if (type === 'array') return [specimen(false, items)]
  if (type === 'object') return {}
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (pattern) return exampleOf(schema as ContractSchema)
  return samples[format] ?? 'x'
}
