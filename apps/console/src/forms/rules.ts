import type { Schema } from '@rolecall/contract'
import { type FormName, formBodies } from './form-bodies.ts'

/** The contract's rule for one field of a request body. */
export interface FieldRule {
  /** The schema of the value, without the null that clears it. */
  readonly schema: Schema
  readonly isNullable: boolean
  readonly isRequired: boolean
}

/** Returns the rules of the fields of an endpoint's body, or of one object in it. */
export function rulesOf(name: FormName, part?: string): ReadonlyMap<string, FieldRule> {
  const body = formBodies[name]
  const { properties = {}, required = [] } = part === undefined ? body : (body.properties?.[part] ?? {})
  return new Map(
    Object.entries(properties).map(([key, schema]) => [key, ruleOf(schema, required.includes(key))]),
  )
}

function ruleOf(schema: Schema, isRequired: boolean): FieldRule {
  const isNullable = schema.anyOf?.some(({ type }) => type === 'null') ?? false
  const held = isNullable ? schema.anyOf?.find(({ type }) => type !== 'null') : undefined
  const { description = held?.description } = schema
  return {
    schema: { ...(held ?? schema), ...(description !== undefined && { description }) },
    isNullable,
    isRequired,
  }
}
