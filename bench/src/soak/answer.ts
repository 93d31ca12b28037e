/** A response of the service, as the traffic sees it. */
export interface Answer {
  /** The status, or 0 without a response. It is then not known whether the request had an effect. */
  readonly status: number
  readonly code: string | undefined
  // Not typed further: each use checks the fields that it reads.
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
  /** The instance that responded. */
  readonly at: number
  readonly requestId: string
}

/** Returns a text in a response, by the names that lead to it. Throws if the response does not contain it. */
export function textOf(record: unknown, ...names: readonly string[]): string {
  let value = record
  for (const name of names) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }
  return typeof value === 'string' ? value : ''
}

/** Returns a list in a response. Throws if the response does not contain it. */
export function listOf(record: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = record[name]
  return Array.isArray(value) ? value : []
}
