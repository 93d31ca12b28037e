import type { ProblemDetail } from '@rolecall/contract'
import type { TSchema } from 'typebox'

/** The maximum number of problems that a response lists. */
export const maxProblems = 100

/** The keywords of JSON Schema that limit the size of a value. */
interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly maxProperties?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type Find = (value: unknown, path: string) => ProblemDetail[]

const nothing: readonly ProblemDetail[] = []

/**
 * Creates a check that reports a list with too many items, an object with too many keys, or more than 100 unknown
 * keys. Up to 100 unknown keys are left to the full validation, which lists them with all other problems.
 *
 * The full validation visits every item and every unknown key, and an unauthenticated client can send a hundred
 * thousand of them. So this check runs first, and stops at the first excess. It goes only as deep as the schema, no
 * matter how deep the value is.
 */
export function createBoundsCheck(schema: TSchema): (value: unknown) => readonly ProblemDetail[] {
  const find = finderOf(schema as Schema)
  return find ? (value) => find(value, '') : () => nothing
}

function finderOf(schema: Schema): Find | undefined {
  // A test of the contract ensures that a union has at most one object and at most one list.
  const branches = schema.anyOf ?? [schema]
  const object = branches.find(({ type }) => type === 'object')
  const list = branches.find(({ type }) => type === 'array')
  const inObject = object && objectFinder(object)
  const inList = list && listFinder(list)
  if (!inObject && !inList) return undefined
  return (value, path) => {
    if (Array.isArray(value)) return inList?.(value, path) ?? []
    return typeof value === 'object' && value !== null ? (inObject?.(value, path) ?? []) : []
  }
}

function objectFinder({
  properties = {},
  additionalProperties,
  maxProperties = Number.POSITIVE_INFINITY,
}: Schema) {
  const known = new Map(Object.entries(properties).map(([key, one]) => [key, finderOf(one)]))
  const isClosed = additionalProperties === false
  const deeper = [...known].flatMap(([key, find]) => (find ? [{ key, find }] : []))
  return (value: object, path: string): ProblemDetail[] => {
    if (Object.keys(value).length > maxProperties) {
      const message = `must NOT have more than ${maxProperties} properties`
      return [{ path, message, code: 'MAX_PROPERTIES' }]
    }
    const unknown: ProblemDetail[] = []
    if (isClosed) {
      for (const key in value) {
        if (known.has(key)) continue
        unknown.push({ path: pointer(path, key), message: 'is not a known key', code: 'UNKNOWN_KEY' })
        if (unknown.length > maxProblems) return unknown.slice(0, maxProblems)
      }
    }
    for (const { key, find } of deeper) {
      const problems = find((value as Record<string, unknown>)[key], pointer(path, key))
      if (problems.length > 0) return problems
    }
    return []
  }
}

function listFinder({ maxItems = Number.POSITIVE_INFINITY, items }: Schema) {
  const find = items && finderOf(items)
  return (list: unknown[], path: string): ProblemDetail[] => {
    if (list.length > maxItems) {
      return [{ path, message: `must NOT have more than ${maxItems} items`, code: 'MAX_ITEMS' }]
    }
    if (!find) return []
    for (const [index, item] of list.entries()) {
      const problems = find(item, `${path}/${index}`)
      if (problems.length > 0) return problems
    }
    return []
  }
}

/** Appends a key to a JSON Pointer. Truncates the key, because a client may send a long one. */
export const pointer = (path: string, key: string) =>
  `${path}/${key.slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')}`
