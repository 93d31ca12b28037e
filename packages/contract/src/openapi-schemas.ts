import type { Schema } from './json-schema.ts'
import { schemaNameOf } from './schema-names.ts'

/** Collects the named schemas of a document while the document is built. */
export interface SchemaRegistry {
  /**
   * Returns a schema for use in the document. The schema and its parts become references if they have a name.
   *
   * @param name The name to use if the contract has none for it.
   */
  refer(schema: Schema, name?: string): unknown
  /** All schemas to which the document refers, by name. */
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
