/** One mistake in a schema, or in a value that a schema rejects. */
export interface SchemaProblem {
  /** The JSON Pointer to the mistake. Empty for the whole schema or value. */
  path: string
  message: string
  /** The keyword that rejects the value, in capitals, e.g. `MAX_LENGTH`. `SCHEMA` for a mistake in a schema. */
  code: string
}
