import { type ErrorCode, endpoints, errors, operationIdOf, refusals } from '@rolecall/contract'
import { refusalOf } from './describe-endpoint.ts'

/** The description of an error code. A code can have several cases, with different statuses. */
export interface ErrorPage {
  readonly code: string
  readonly cases: readonly ErrorCase[]
}

/** One meaning of an error code. */
export interface ErrorCase {
  readonly status: number
  readonly title: string
  readonly mend: string
  /** The request that returns this error, if only one does and it is not in the contract. */
  readonly onlyOf: string | undefined
  /** The endpoints that return this error. Empty for an error that the contract does not list for any endpoint. */
  readonly endpoints: readonly { readonly id: string; readonly name: string }[]
}

const metrics = 'GET /metrics'
const outsideContract: Partial<Record<ErrorCode, string>> = {
  INVALID_METRICS_TOKEN: metrics,
  METRICS_LOCAL_ONLY: metrics,
}

/** Describes all errors of the service, by the `code` in the response, in alphabetical order. */
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
    const found = { status, title, mend, onlyOf: outsideContract[name], endpoints: where }
    byCode.set(code, [...(byCode.get(code) ?? []), found])
  }
  return [...byCode].map(([code, cases]) => ({ code, cases })).toSorted((a, b) => (a.code < b.code ? -1 : 1))
}
