import type { Schema } from '@rolecall/contract'
import type { TSchema } from 'typebox'

/** The description of a field. A nested field has its full name, for example `roles[].roleId`. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly meaning: string
}

/** Lists all fields of an object, including nested ones. */
export function listFields(schema: TSchema | Schema | undefined, prefix = ''): Field[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = {
      name: prefix + name,
      type: typeName(property),
      isRequired: required.includes(name),
      meaning: meaningOf(property),
    }
    const { inner, suffix } = unwrap(property)
    return [field, ...listFields(inner, `${prefix}${name}${suffix}.`)]
  })
}

/** Describes a body whose fields the contract does not know, such as the payload of an inbound webhook. */
export const wholeBody = (schema: Schema): Field => ({
  name: 'body',
  type: typeName(schema),
  isRequired: true,
  meaning: meaningOf(schema),
})

/** Describes a body that is a file. */
export const fileBody = (types: readonly string[]): Field => ({
  name: 'body',
  type: types.join(' or '),
  isRequired: true,
  meaning: 'The bytes of the file.',
})

/** Returns the schema inside lists and inside "or null", and the suffix that the lists add to the field's name. */
function unwrap(schema: Schema): { inner: Schema; suffix: string } {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only && others.length === 0) return unwrap(only)
  if (!schema.items) return { inner: schema, suffix: '' }
  const { inner, suffix } = unwrap(schema.items)
  return { inner, suffix: `[]${suffix}` }
}

const formatNames: Record<string, string> = {
  uuid: 'UUID',
  snowflake: 'snowflake',
  'date-time': 'date-time',
  name: 'name',
}

/** Names the type of a schema, for a reader. */
export function typeName(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ')
  if (schema.enum) return schema.enum.map((word) => `"${word}"`).join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.items) return `list of ${typeName(schema.items)}`
  return formatNames[schema.format ?? ''] ?? schema.type ?? 'any JSON'
}

function meaningOf(schema: Schema): string {
  const { inner } = unwrap(schema)
  const described = schema.description ?? inner.description
  return [described, boundsOf(schema)].filter(Boolean).join(' ')
}

/** Formats the limits of a field as a sentence. */
function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, default: preset } = schema
  const parts = [
    range(minimum, maximum, ''),
    // The name of a format says more than its length.
    format ? '' : range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    preset === undefined ? '' : `default ${JSON.stringify(preset)}`,
  ].filter(Boolean)
  return parts.length > 0 ? `${capitalise(parts.join('; '))}.` : ''
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined ? '' : `at least ${grouped(min)}${unit}`
  return min === undefined ? `at most ${grouped(max)}${unit}` : `${grouped(min)} to ${grouped(max)}${unit}`
}

const grouped = (amount: number) => amount.toLocaleString('en')
const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
