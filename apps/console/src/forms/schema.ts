import {
  type EndpointDefinition,
  endpoints,
  formats,
  operationIdOf,
  patternMessage,
  type Schema,
} from '@rolecall/contract'
import type { AdminQuestion, ProblemDetail } from '@rolecall/sdk/admin'
import { Set as setFormat } from 'typebox/format'
import { Errors } from 'typebox/value'

// Reads the contract's own schemas, so that no field is described twice. Only pages with a form load this file.

for (const [name, holds] of Object.entries(formats)) setFormat(name, holds)

const definitions = new Map(endpoints.map((definition) => [operationIdOf(definition), definition]))

function definitionOf(name: AdminQuestion): EndpointDefinition {
  const definition = definitions.get(name)
  if (!definition) throw new Error(`The contract has no ${name}.`)
  return definition
}

/** The contract's rule for one field of a request body. */
export interface FieldRule {
  /** The schema of the value, without the null that clears it. */
  readonly schema: Schema
  readonly isNullable: boolean
  readonly isRequired: boolean
}

/** Returns the fields of an endpoint's body, or of one object in it. */
export function rulesOf(name: AdminQuestion, part?: string): ReadonlyMap<string, FieldRule> {
  const body: Schema = definitionOf(name).body ?? {}
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

/** Returns the problems of a body, with the same pointers and the same words as the service. */
export function problemsOf(name: AdminQuestion, body: unknown): readonly ProblemDetail[] {
  const schema = definitionOf(name).body
  if (!schema) return []
  return Errors(schema, body).flatMap(({ keyword, instancePath, params, message }) => {
    if (keyword === 'required' && 'requiredProperties' in params) {
      return params.requiredProperties.map((key) => said(`${instancePath}/${key}`, 'is required', keyword))
    }
    // The problems of a union's branches are more precise than the fact that none of them matches.
    if (keyword === 'anyOf' || keyword === 'boolean') return []
    if (keyword === 'pattern' && 'pattern' in params) {
      return [said(instancePath, patternMessage(String(params.pattern)) ?? message, keyword)]
    }
    if (keyword === 'format' && 'format' in params) {
      return [said(instancePath, formatMessages[params.format] ?? message, keyword)]
    }
    if (keyword === 'minLength') return [said(instancePath, 'is required', keyword)]
    return [said(instancePath, message, keyword)]
  })
}

const said = (path: string, message: string, code: string): ProblemDetail => ({
  path,
  message,
  code: code.toUpperCase(),
})

const formatMessages: Readonly<Record<string, string>> = {
  snowflake: 'must be a Discord ID: 17 to 20 digits',
  uuid: 'must be a UUID',
  'date-time': 'must be a date, or a date and time with a time zone',
  name: 'must be visible text without leading or trailing spaces or invisible characters',
}
