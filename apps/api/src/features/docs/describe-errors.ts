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
  /** The only request that returns it, if that is no endpoint of the contract. */
  readonly onlyOf: string | undefined
  /** The endpoints that return it; empty for an error that any other request can get. */
  readonly endpoints: readonly { readonly id: string; readonly name: string }[]
}

const metrics = 'GET /metrics'
const outsideContract: Partial<Record<ErrorCode, string>> = {
  INVALID_METRICS_TOKEN: metrics,
  METRICS_LOCAL_ONLY: metrics,
}

/** Describes every error of the service by its code on the wire, in alphabetical order. */
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
