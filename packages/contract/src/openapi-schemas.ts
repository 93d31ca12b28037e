import type { Schema } from './json-schema.ts'
import { schemaNameOf } from './schema-names.ts'

/** The named schemas of a document, collected while the document refers to them. */
export interface SchemaRegistry {
  /**
   * Returns the schema for use in the document: a reference if it has a name, and the same for its parts.
   *
   * @param name The name to use if the contract has none for it.
   */
  refer(schema: Schema, name?: string): unknown
  /** All schemas that were referred to, by name. */
  readonly components: Readonly<Record<string, unknown>>
}

/** Creates an empty registry, for one document. */
export function createSchemaRegistry(): SchemaRegistry {
  const components: Record<string, unknown> = {}
  const refer = (schema: Schema, given?: string): unknown => {
    const name = schemaNameOf(schema) ?? given
    if (name === undefined) return referParts(schema)
    components[name] ??= referParts(schema)
    return { $ref: `#/components/schemas/${name}` }
  }
  const referParts = ({ properties, items, anyOf, ...rest }: Schema) => ({
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, refer(one)])),
    }),
    ...(items && { items: refer(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => refer(one)) }),
  })
  return { refer, components }
}
