/** Describes one mistake in a schema, or in a value that a schema rejects. */
export interface SchemaProblem {
  /** JSON Pointer to the mistake. Empty for the whole schema or value. */
  path: string
  message: string
  /** The rejecting keyword in capitals, such as `MAX_LENGTH`, or `SCHEMA` for a mistake in a schema. */
  code: string
}
