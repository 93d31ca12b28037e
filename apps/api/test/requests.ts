import { type EndpointDefinition, endpoints } from '@rolecall/contract'

/** The part of JSON Schema that the contract's requests use. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly maxItems?: number
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export const nameOf = ({ method, path }: EndpointDefinition) => `${method} ${path}`

/** Returns the rows of `test.each` for the endpoints that pass a filter, each with its name. */
export const rowsOf = (passes: (one: EndpointDefinition) => unknown): [string, EndpointDefinition][] =>
  endpoints.filter(passes).map((one) => [nameOf(one), one])

export const propertiesOf = (schema: unknown): [string, Schema][] =>
  Object.entries((schema as Schema | undefined)?.properties ?? {})

/** Returns the branches of a union. Any other schema is its only branch. */
export const branchesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

export const takes = (schema: Schema, type: string): boolean =>
  branchesOf(schema).some((one) => one.type === type || (type === 'integer' && one.type === 'number'))

const byFormat: Record<string, string> = {
  uuid: '01900000-0000-7000-8000-000000000000',
  snowflake: '1100089314336833537',
  'date-time': '2026-01-31T00:00:00.000Z',
}

/** Returns a valid value of a path parameter for which nothing exists. */
const goodParam = ({ format = '' }: Schema) => byFormat[format] ?? 'nothing'

/** Returns the address of an endpoint with valid IDs, or with IDs that no format accepts. */
export function addressOf({ path, params }: EndpointDefinition, { malformed = false } = {}): string {
  const schemas = Object.fromEntries(propertiesOf(params))
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    malformed ? '%00-not-an-id' : goodParam(schemas[name] ?? {}),
  )
}

/** A value of each type. */
const specimens: readonly [string, unknown][] = [
  ['string', 'x'],
  ['integer', 5],
  ['boolean', true],
  ['null', null],
  ['array', ['x']],
  ['object', { x: 1 }],
]

/** Returns a value of each type that the schema does not accept. */
export const wrongTypes = (schema: Schema): unknown[] =>
  specimens.filter(([type]) => !takes(schema, type)).map(([, value]) => value)

/** Lists the strings and numbers of a schema without a limit, by their places. */
export function unbounded(schema: Schema, place = ''): string[] {
  const own =
    schema.type === 'string' &&
    [schema.maxLength, schema.enum, schema.const, schema.pattern, schema.format].every((b) => b === undefined)
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const isOpen = isNumber && (schema.minimum === undefined || schema.maximum === undefined)
  return [
    ...(own || isOpen ? [place] : []),
    ...propertiesOf(schema).flatMap(([key, one]) => unbounded(one, `${place}/${key}`)),
    ...(schema.items ? unbounded(schema.items, `${place}/items`) : []),
    ...(schema.anyOf ?? []).flatMap((one) => unbounded(one, place)),
  ]
}

/** Returns true if a body has only keys of the contract. */
export const isClosed = ({ body }: EndpointDefinition) =>
  (body as Schema | undefined)?.additionalProperties === false
