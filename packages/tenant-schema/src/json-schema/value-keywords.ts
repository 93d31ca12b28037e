import { ExactNumber } from '../json/exact-number.ts'
import { canonical } from './canonical.ts'
import { isMultiple } from './decimal.ts'
import { findFormat, formatNames } from './formats.ts'
import { isNumber, isObject, type Keyword, type Reading, readCount, readNumber } from './keyword.ts'
import type { Run } from './run.ts'

const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

/** Returns true if a value has a type of JSON Schema. A number such as 1.0 is an integer. */
const isOfType = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'number':
      return isNumber(value)
    case 'integer':
      return value instanceof ExactNumber ? value.isInteger : Number.isInteger(value)
    default:
      // The remaining types have the same names as the results of `typeof`.
      return typeof value === type
  }
}

/** Checks the type of a value. `type` is a name, or a list of different names. */
const type: Keyword = ({ value, complain }) => {
  const types: unknown[] = Array.isArray(value) ? value : [value]
  if (types.length === 0 || new Set(types).size < types.length || types.some((one) => !isTypeName(one))) {
    complain(`must be one of ${typeNames.join(', ')}, or a list of them`)
    return undefined
  }
  const names = types as string[]
  const message = `must be ${names.join(' or ')}`
  return (given, run) => names.some((name) => isOfType(given, name)) || run.fail('TYPE', message)
}

const isTypeName = (name: unknown) => typeof name === 'string' && typeNames.includes(name)

/** Creates a check whether a value equals one of some values. Compares objects and lists by their canonical text. */
const oneOfValues = (values: unknown[]): ((given: unknown, run: Run) => boolean) => {
  const scalars = new Set(values.filter((one) => typeof one !== 'object' || one === null))
  const texts = new Set(
    values.filter((one) => typeof one === 'object' && one !== null).map((one) => canonical(one)),
  )
  return (given, run) => {
    if (typeof given !== 'object' || given === null) return scalars.has(given)
    return texts.size > 0 && texts.has(canonical(given, run))
  }
}

/** Checks `enum`. Its message shows at most 20 of the values, so that it stays short. */
const enumeration: Keyword = ({ value, complain }) => {
  if (!Array.isArray(value) || value.length === 0) {
    complain('must be a list of at least one value')
    return undefined
  }
  const isListed = oneOfValues(value)
  const shown = value.slice(0, 20).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const message = `must be one of ${shown.join(', ').slice(0, 500)}`
  return (given, run) => isListed(given, run) || run.fail('ENUM', message)
}

/** Checks `const`. */
const constant: Keyword = ({ value }) => {
  const isListed = oneOfValues([value])
  const message = `must be ${JSON.stringify(value).slice(0, 200)}`
  return (given, run) => isListed(given, run) || run.fail('CONST', message)
}

/** Creates the keyword for a limit of a number. `holds` gets the result of `orderOf`. */
const bound =
  (code: string, words: string, holds: (order: number) => boolean): Keyword =>
  (reading) => {
    const limit = readNumber(reading)
    if (limit === undefined) return undefined
    const message = `must be ${words} ${limit}`
    return (given, run) => !isNumber(given) || holds(orderOf(given, limit, run)) || run.fail(code, message)
  }

/**
 * Compares a number with a limit. The result is negative if the number is smaller, 0 if equal, and positive if greater.
 */
function orderOf(given: number | ExactNumber, limit: number, run: Run): number {
  if (typeof given === 'number') return given < limit ? -1 : given > limit ? 1 : 0
  run.spend(exactCost)
  return given.compare(limit)
}

/** The work of calculating with a number that a double cannot represent. */
const exactCost = 100

/** Checks `multipleOf`, with decimal arithmetic: 0.3 is a multiple of 0.1. */
const multipleOf: Keyword = (reading) => {
  const of = readNumber(reading)
  if (of === undefined) return undefined
  if (of <= 0) {
    reading.complain('must be greater than 0')
    return undefined
  }
  return (given, run) => {
    if (!isNumber(given)) return true
    run.spend(400)
    return isMultiple(given, of) || run.fail('MULTIPLE_OF', `must be a multiple of ${of}`)
  }
}

/**
 * Creates the keyword for a limit of length in code points. Counts them only if the length in code units does not
 * decide.
 */
const lengthBound =
  (code: string, words: string, holds: (length: number, limit: number) => boolean): Keyword =>
  (reading) => {
    const limit = readCount(reading)
    if (limit === undefined) return undefined
    const message = `must have ${words} ${limit} characters`
    return (given, run) => {
      if (typeof given !== 'string') return true
      const { length } = given
      const most = holds(length, limit)
      const decided = most === holds(Math.ceil(length / 2), limit)
      return (decided ? most : holds(codePoints(given, run), limit)) || run.fail(code, message)
    }
  }

/** Counts the characters of a text, as JSON Schema does: a pair of surrogates is one character. */
function codePoints(text: string, run: Run): number {
  run.spend(text.length >> 2)
  let count = 0
  for (let i = 0; i < text.length; i++) {
    count += 1
    if ((text.codePointAt(i) ?? 0) > 0xffff) i += 1
  }
  return count
}

/** Checks `pattern`. The expression may match anywhere in the text. */
const pattern: Keyword = (reading) => {
  const source = readText(reading)
  if (source === undefined) return undefined
  const test = reading.pattern(source)
  const message = `must match the pattern ${source.slice(0, 200)}`
  return (given, run) => typeof given !== 'string' || test(given, run) || run.fail('PATTERN', message)
}

/** Checks `format`. A schema with an unknown format is rejected. */
const format: Keyword = ({ value, complain }) => {
  const test = findFormat(value)
  if (!test) {
    complain(`must be one of ${formatNames.join(', ')}`)
    return undefined
  }
  const message = `must be a ${String(value)}`
  return (given, run) => typeof given !== 'string' || test(given, run) || run.fail('FORMAT', message)
}

/** Reads the value of a keyword that must be a string. */
function readText({ value, complain }: Reading): string | undefined {
  if (typeof value === 'string') return value
  complain('must be a string')
  return undefined
}

/** The keywords that check a value itself, and not its parts. */
export const valueKeywords: Readonly<Record<string, Keyword>> = {
  type,
  enum: enumeration,
  const: constant,
  minimum: bound('MINIMUM', 'at least', (order) => order >= 0),
  maximum: bound('MAXIMUM', 'at most', (order) => order <= 0),
  exclusiveMinimum: bound('EXCLUSIVE_MINIMUM', 'greater than', (order) => order > 0),
  exclusiveMaximum: bound('EXCLUSIVE_MAXIMUM', 'less than', (order) => order < 0),
  multipleOf,
  minLength: lengthBound('MIN_LENGTH', 'at least', (length, limit) => length >= limit),
  maxLength: lengthBound('MAX_LENGTH', 'at most', (length, limit) => length <= limit),
  pattern,
  format,
}
