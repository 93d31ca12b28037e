import { ExactNumber } from '../json/exact-number.ts'
import type { Pattern } from './pattern.ts'
import type { Run } from './run.ts'
import type { Seen } from './seen.ts'

/** Checks a value against one keyword or one schema. Adds its problems to the run, unless the run is quiet. */
export type Check = (value: unknown, run: Run, seen: Seen | undefined) => boolean

/** A schema or subschema. Its check is set only after the whole schema is read, because a `$ref` may point forward. */
export interface Node {
  readonly pointer: string
  check: Check
  /** The subschemas that check the same value as this schema. */
  readonly inPlace: Node[]
}

/** The value that a subschema checks: the same value (`inPlace`), or a part of it, or none (`apart`). */
export type Looks = 'inPlace' | 'apart'

export type SchemaObject = Readonly<Record<string, unknown>>

/**
 * The access of a keyword to its schema while the schema is read. Reading continues after a problem, to find them all.
 */
export interface Reading {
  /** The keyword's value. */
  readonly value: unknown
  /** The schema object that contains the keyword. */
  readonly schema: SchemaObject
  /** Reads the subschema at a place of the keyword's value. */
  readonly sub: (kind: Looks, ...keys: (string | number)[]) => Node
  /** Reads the subschema of another keyword in the same schema. */
  readonly sibling: (keyword: string) => Node
  /** Returns the schema that a reference names. Do not call its check before the whole schema is read. */
  readonly refer: (text: string) => Node
  /** Compiles a pattern. Equal patterns of a schema are compiled only once. */
  readonly pattern: (source: string, ...keys: string[]) => Pattern
  /** Reports a problem of the keyword's value, or of a place in it. */
  readonly complain: (message: string, ...keys: (string | number)[]) => void
}

/** Reads one keyword. Returns its check, or undefined if it checks nothing or another keyword reads it. */
export type Keyword = (reading: Reading) => Check | undefined

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/** Returns true for a number, even if no double represents it. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

/**
 * Returns the keyword's value as a whole number of at least 0. If it is not one, reports that and returns undefined.
 */
export function readCount({ value, complain }: Reading): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  complain('must be a whole number of at least 0')
  return undefined
}

/** Returns the keyword's value as a number. If it is not one, reports that and returns undefined. */
export function readNumber({ value, complain }: Reading): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  complain('must be a number')
  return undefined
}

/** Returns the keyword's value as a list of different strings. If it is not one, reports that and returns none. */
export function readNames(
  value: unknown,
  complain: Reading['complain'],
  ...keys: (string | number)[]
): string[] {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string')
  if (isList && new Set(value).size === value.length) return value
  complain('must be a list of different strings', ...keys)
  return []
}

/** Returns the keys of the keyword's value, which must be an object with schemas as its values. */
export function readKeys({ value, complain }: Reading): string[] {
  if (isObject(value)) return Object.keys(value)
  complain('must be an object')
  return []
}

/** Returns the indexes of the keyword's value, which must be a list of schemas. */
export function readPositions({ value, complain }: Reading): number[] {
  if (Array.isArray(value) && value.length > 0) return value.map((_, i) => i)
  complain('must be a list of at least one schema')
  return []
}

/** Runs a check only for its result, without collecting problems. */
export function quietly(run: Run, check: () => boolean): boolean {
  run.quiet += 1
  const passed = check()
  run.quiet -= 1
  return passed
}

/** Returns true if every item passes the check. Checks all of them, to find every problem, unless the run is quiet. */
export function every<T>(items: Iterable<T>, run: Run, check: (item: T) => boolean): boolean {
  let passed = true
  for (const item of items) {
    if (check(item)) continue
    if (run.quiet > 0) return false
    passed = false
  }
  return passed
}

/** Checks a part of the value against a schema, at its place in the path. */
export function checkPart(node: Node, part: unknown, key: string | number, run: Run): boolean {
  run.path.push(key)
  const passed = node.check(part, run, undefined)
  run.path.pop()
  return passed
}
