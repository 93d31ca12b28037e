export interface Answer {
  /** 0 without a response: whether the request had an effect is unknown. */
  readonly status: number
  readonly code: string | undefined
  // Each use checks its fields.
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
  /** The instance that responded. */
  readonly at: number
  readonly requestId: string
}

/** Returns a text that a response must contain. */
export function textOf(record: unknown, ...names: readonly string[]): string {
  let value = record
  for (const name of names) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }
  return typeof value === 'string' ? value : ''
}

/** Returns a list that a response must contain. */
export function listOf(record: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = record[name]
  return Array.isArray(value) ? value : []
}
