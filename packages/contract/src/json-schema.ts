/** The subset of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string
  /** The name of a field in forms, if its key is not clear enough. */
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  /** The schema of every value of a record. */
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}
