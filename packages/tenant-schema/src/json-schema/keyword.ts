import { ExactNumber } from '../json/exact-number.ts'
import type { Pattern } from './pattern.ts'
import type { Run } from './run.ts'
import type { Seen } from './seen.ts'

/** Checks a value against one keyword, or one schema. Notes problems in the run unless that is quiet. */
export type Check = (value: unknown, run: Run, seen: Seen | undefined) => boolean

/** A schema within a schema. Its check is set after everything is read: `$ref` may point forward. */
export interface Node {
  readonly pointer: string
  check: Check
  /** Schemas that check the same value as this one. */
  readonly inPlace: Node[]
}

/** The values that a subschema checks: the same value (`inPlace`), or a part of it or no value (`apart`). */
export type Looks = 'inPlace' | 'apart'

export type SchemaObject = Readonly<Record<string, unknown>>

/** Gives a keyword access to the schema. Mistakes are collected, and reading continues to find all of them. */
export interface Reading {
  /** The keyword's value. */
  readonly value: unknown
  /** The schema object that contains the keyword. */
  readonly schema: SchemaObject
  /** Reads the schema at this place of the keyword's value. */
  readonly sub: (kind: Looks, ...keys: (string | number)[]) => Node
  /** Reads the schema of another keyword beside this one. */
  readonly sibling: (keyword: string) => Node
  /** Returns the schema that a reference names. Its check may be called once reading is done. */
  readonly refer: (text: string) => Node
  /** Compiles a pattern once for the whole schema. */
  readonly pattern: (source: string, ...keys: string[]) => Pattern
  /** Reports a problem of the keyword's value, or of a place in it. */
  readonly complain: (message: string, ...keys: (string | number)[]) => void
}

/** Reads one keyword. Returns a check, or nothing if it asserts nothing or a sibling reads it. */
export type Keyword = (reading: Reading) => Check | undefined

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/** Returns true for a number, with or without a double that represents it. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

/** Returns the keyword's value as a count, or undefined after a complaint. */
export function readCount({ value, complain }: Reading): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  complain('must be a whole number of at least 0')
  return undefined
}

/** Returns the keyword's value as a number, or undefined after a complaint. */
export function readNumber({ value, complain }: Reading): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  complain('must be a number')
  return undefined
}

/** Returns a list of different strings, or an empty one after a complaint. */
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

/** Returns the keys of the keyword's value, which must be an object of schemas. */
export function readKeys({ value, complain }: Reading): string[] {
  if (isObject(value)) return Object.keys(value)
  complain('must be an object')
  return []
}

/** Returns the positions of the keyword's value, which must be a list of schemas. */
export function readPositions({ value, complain }: Reading): number[] {
  if (Array.isArray(value) && value.length > 0) return value.map((_, i) => i)
  complain('must be a list of at least one schema')
  return []
}

/** Runs a check only for its result. */
export function quietly(run: Run, check: () => boolean): boolean {
  run.quiet += 1
  const passed = check()
  run.quiet -= 1
  return passed
}

/** Returns true if every check passes. Runs all of them, to find every error, unless only the result counts. */
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
