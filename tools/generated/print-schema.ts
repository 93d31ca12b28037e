import type { EndpointDefinition, Schema } from '@rolecall/contract'

export type AnySchema = NonNullable<EndpointDefinition['params']>

/**
 * Returns a key that is the same for schemas with equal content. Options such as "optional" create copies of a schema.
 */
const keyOf = (schema: Schema) => JSON.stringify(schema)

/** Creates a printer of schemas as TypeScript types. It prints only the name of a named schema. */
export function createPrinter(named: readonly (readonly [string, AnySchema])[]) {
  // If a schema has several names, the first one counts.
  const names = new Map(named.map(([name, schema]) => [keyOf(schema), name] as const).reverse())
  /** The names that were printed so far, in the order of their first use. */
  const used = new Set<string>()

  /**
   * Prints a schema as a type. Throws if the schema has a keyword that this function does not know, because the type
   * would be wrong.
   */
  function print(schema: Schema, indent: string): string {
    const name = names.get(keyOf(schema))
    if (name !== undefined) {
      used.add(name)
      return name
    }
    if (schema.anyOf) return schema.anyOf.map((one) => print(one, indent)).join(' | ')
    if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ')
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    const { type, items, properties, patternProperties } = schema
    if (type === 'string' || type === 'boolean' || type === 'null') return type
    if (type === 'integer' || type === 'number') return 'number'
    if (type === 'array' && items) return `readonly ${printItem(items, indent)}[]`
    if (type === 'object' && properties) return printObject(schema, indent)
    if (type === 'object') {
      const [values = {}] = Object.values(patternProperties ?? {})
      return `Readonly<Record<string, ${print(values, indent)}>>`
    }
    if (type === undefined) return 'unknown'
    throw new Error(`No type for ${JSON.stringify(schema)}`)
  }

  function printItem(schema: Schema, indent: string): string {
    const text = print(schema, indent)
    return names.has(keyOf(schema)) || !(schema.anyOf || schema.enum) ? text : `(${text})`
  }

  function printObject({ properties = {}, required = [] }: Schema, indent: string): string {
    const inner = `${indent}  `
    const fields = Object.entries(properties).map(([key, schema]) => {
      const comment = schema.description === undefined ? '' : doc(schema.description, inner)
      return `${comment}${inner}readonly ${key}${required.includes(key) ? '' : '?'}: ${print(schema, inner)}\n`
    })
    return `{\n${fields.join('')}${indent}}`
  }

  return { print, printObject, used }
}

/** Returns a JSDoc comment. */
export const doc = (text: string, indent: string) => `${indent}/** ${text} */\n`

/** Adds a period to a text that does not end with one or with a question mark. */
export const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`)
