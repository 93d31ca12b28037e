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

/** Rows for `test.each`: endpoints that pass, each with its name. */
export const rowsOf = (passes: (one: EndpointDefinition) => unknown): [string, EndpointDefinition][] =>
  endpoints.filter(passes).map((one) => [nameOf(one), one])

export const propertiesOf = (schema: unknown): [string, Schema][] =>
  Object.entries((schema as Schema | undefined)?.properties ?? {})

/** Returns the branches of a union; any other schema is its own only branch. */
export const branchesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

export const takes = (schema: Schema, type: string): boolean =>
  branchesOf(schema).some((one) => one.type === type || (type === 'integer' && one.type === 'number'))

const byFormat: Record<string, string> = {
  uuid: '01900000-0000-7000-8000-000000000000',
  snowflake: '1100089314336833537',
  'date-time': '2026-01-31T00:00:00.000Z',
}

/** A value of the path that is well-formed, and names nothing. */
const goodParam = ({ format = '' }: Schema) => byFormat[format] ?? 'nothing'

/** The address of an endpoint with well-formed ids, or with ones that no format lets through. */
export function addressOf({ path, params }: EndpointDefinition, { malformed = false } = {}): string {
  const schemas = Object.fromEntries(propertiesOf(params))
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    malformed ? '%00-not-an-id' : goodParam(schemas[name] ?? {}),
  )
}

/** A value for each type; one that a schema does not accept is wrong for it. */
const specimens: readonly [string, unknown][] = [
  ['string', 'x'],
  ['integer', 5],
  ['boolean', true],
  ['null', null],
  ['array', ['x']],
  ['object', { x: 1 }],
]

/** A value of every type that the schema does not take. */
export const wrongTypes = (schema: Schema): unknown[] =>
  specimens.filter(([type]) => !takes(schema, type)).map(([, value]) => value)

/** Every string and number of a schema that nothing bounds, by its place. */
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

/** Returns true if a body has keys of the contract only. */
export const isClosed = ({ body }: EndpointDefinition) =>
  (body as Schema | undefined)?.additionalProperties === false
