import type { Schema } from './json-schema.ts'
import { schemaNameOf } from './schema-names.ts'

/** The named schemas of a document, gathered while the document refers to them. */
export interface SchemaRegistry {
  /**
   * The schema as it stands in the document: a reference where it has a name, and so for its parts.
   * @param name What it is called where the contract has no name for it.
   */
  refer(schema: Schema, name?: string): unknown
  /** Every schema that was referred to, by its name. */
  readonly components: Readonly<Record<string, unknown>>
}

/** Starts an empty registry, for one document. */
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
