import { type EndpointDefinition, endpoints, events } from '@rolecall/contract'
import { expect, test } from 'vitest'
import { branchesOf, nameOf, propertiesOf, type Schema } from '../requests.ts'
import { fields } from './fields.ts'
import { reasons } from './reasons.ts'

/** Formats that allow no special characters. */
const plainFormats = ['snowflake', 'uuid', 'date-time']

/** Lists the places of a schema that accept free text. */
function textsOf(schema: Schema, place: string): string[] {
  return branchesOf(schema).flatMap((one) => {
    if (one.type === 'object')
      return 'patternProperties' in one
        ? [place]
        : propertiesOf(one).flatMap(([key, inner]) => textsOf(inner, `${place}/${key}`))
    if (one.type === 'array') return textsOf(one.items ?? {}, `${place}/*`)
    const isText = one.type === 'string' && one.enum === undefined && one.const === undefined
    return isText && !plainFormats.includes(one.format ?? '') ? [place] : []
  })
}

const namesOf = (prefix: string, schema: unknown) =>
  propertiesOf(schema).flatMap(([key, one]) => textsOf(one, `${prefix}${key}`))

/** Lists the fields of a request that accept free text. */
const textFieldsOf = (endpoint: EndpointDefinition): string[] =>
  [
    ...(endpoint.body && !endpoint.isRead ? textsOf(endpoint.body as Schema, '') : []),
    ...(endpoint.payload ? ['payload'] : []),
    ...namesOf('?', endpoint.query),
    ...namesOf('', endpoint.headers),
  ].map((field) => `${nameOf(endpoint)} ${field}`)

const inContract = new Set(endpoints.flatMap(textFieldsOf))

test('every field that accepts text has a row in the table, or a reason why it stores none', () => {
  const known = new Set([...fields.flatMap(({ covers }) => covers), ...Object.keys(reasons)])
  expect([...inContract].filter((field) => !known.has(field)).join('\n')).toBe('')
})

test('rows and reasons name only fields of the contract, and no field has both', () => {
  const covered = new Set(fields.flatMap(({ covers }) => covers))
  expect([...covered, ...Object.keys(reasons)].filter((field) => !inContract.has(field))).toEqual([])
  expect(Object.keys(reasons).filter((field) => covered.has(field))).toEqual([])
})

test('a new endpoint with text is reported as missing', () => {
  const added = { ...endpoints.find(({ body }) => body), path: '/api/new' } as EndpointDefinition
  expect(textFieldsOf(added).some((field) => inContract.has(field))).toBe(false)
  expect(textFieldsOf(added).length).toBeGreaterThan(0)
})

test('events contain IDs, times, fixed words, and key prefixes, but no free text', () => {
  const texts = Object.entries(events.Events).flatMap(([name, data]) => textsOf(data as Schema, name))
  expect(texts.filter((place) => !place.endsWith('/prefix'))).toEqual([])
})
