export interface Answer {
  /** 0 where no answer came: whether it was done is unknown. */
  readonly status: number
  readonly code: string | undefined
  // What a body holds is checked where it is used.
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
  /** Which instance was asked. */
  readonly at: number
  readonly requestId: string
}

/** Text that an answer must hold. */
export function textOf(record: unknown, ...names: readonly string[]): string {
  let value = record
  for (const name of names) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }
  return typeof value === 'string' ? value : ''
}

/** A list that an answer must hold. */
export function listOf(record: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = record[name]
  return Array.isArray(value) ? value : []
}
