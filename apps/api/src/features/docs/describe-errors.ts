import { type ErrorCode, endpoints, errors, operationIdOf, refusals } from '@rolecall/contract'
import { refusalOf } from './describe-endpoint.ts'

/** A code, and its meaning with each status that it is returned with. */
export interface ErrorPage {
  readonly code: string
  readonly cases: readonly ErrorCase[]
}

export interface ErrorCase {
  readonly status: number
  readonly title: string
  readonly mend: string
  /** The endpoints that return it; empty for an error that any request can get. */
  readonly endpoints: readonly { readonly id: string; readonly name: string }[]
}

/** Describes every error of the service by its code on the wire. */
export function describeErrors(): ErrorPage[] {
  const byCode = new Map<string, ErrorCase[]>()
  for (const name of Object.keys(errors) as ErrorCode[]) {
    const { code, status, title, mend } = refusalOf(name)
    const where = endpoints
      .filter((definition) => refusals(definition).includes(name))
      .map((definition) => ({
        id: operationIdOf(definition),
        name: `${definition.method} ${definition.path}`,
      }))
    byCode.set(code, [...(byCode.get(code) ?? []), { status, title, mend, endpoints: where }])
  }
  return [...byCode].map(([code, cases]) => ({ code, cases }))
}
