import { formats, type ProblemDetail, patternMessage } from '@rolecall/contract'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { createBoundsCheck, maxProblems, pointer } from './bounds.ts'

const ajv = new Ajv2020({
  allErrors: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  formats,
})

/**
 * Compiles a schema of the contract to a function that lists all problems of a value. If the value has far too many
 * parts, only that problem is listed. If the value is valid, the function also converts its IDs to their canonical
 * form, in place.
 */
export function compile(schema: TSchema): (value: unknown) => readonly ProblemDetail[] {
  const excessOf = createBoundsCheck(schema)
  // Compiled at the first use: compiling the whole contract would take a third of the start time.
  let compiled: ValidateFunction | undefined
  const spellIds = idSpeller(schema)
  return (value) => {
    const excess = excessOf(value)
    if (excess.length > 0) return excess
    compiled ??= ajv.compile(schema)
    const validate = compiled
    if (!validate(value)) return describe(validate.errors).concat(unstorable(value))
    spellIds(value)
    return unstorable(value)
  }
}

/**
 * Creates a function that converts UUIDs to lower case. Clients may send them in any case (RFC 9562 §4), so that all
 * later code can compare them as text. Only direct properties of the value are converted; the contract has no deeper
 * IDs.
 */
function idSpeller(schema: TSchema): (value: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> }
  const keys = Object.keys(properties).filter((key) => idFormats.has(properties[key]?.format))
  return (value) => {
    const object = value as Record<string, unknown>
    for (const key of keys) {
      const id = object[key]
      if (typeof id === 'string' && formats.uuid(id)) object[key] = id.toLowerCase()
    }
  }
}

const idFormats = new Set<string | undefined>(['uuid', 'id'])

function describe(errors: ErrorObject[] | null | undefined): ProblemDetail[] {
  const all = errors ?? []
  const nullable = new Set(all.filter(({ params }) => params['type'] === 'null').map(unionOf))
  return all
    .filter((error) => error.keyword !== 'if' && isWorthReporting(error, nullable))
    .map((error) => describeOne(error, nullable.has(unionOf(error))))
}

/** Returns the schema path of the union whose branch has failed. Returns undefined if the error is not in a union. */
const unionOf = ({ schemaPath }: ErrorObject) => /^(.*\/anyOf)\/\d+\//.exec(schemaPath)?.[1]

/**
 * Returns true if an error is worth reporting. A union that fails reports one error for itself and one for each branch,
 * but the client needs only one. If one branch is null, the error of the other branch is the most precise.
 */
function isWorthReporting(error: ErrorObject, nullable: Set<string | undefined>): boolean {
  // This error only states that another error is about a key.
  if (error.keyword === 'propertyNames') return false
  if (error.keyword === 'anyOf') return !nullable.has(error.schemaPath)
  const union = unionOf(error)
  return union === undefined || (nullable.has(union) && error.params['type'] !== 'null')
}

function describeOne(
  { keyword, instancePath: place, propertyName, params, message }: ErrorObject,
  isNullable: boolean,
): ProblemDetail {
  const instancePath = propertyName === undefined ? place : pointer(place, propertyName)
  const at = (key: string) => pointer(instancePath, key)
  switch (keyword) {
    case 'required':
      return { path: at(params['missingProperty']), message: 'is required', code: 'REQUIRED' }
    case 'dependentRequired':
      return {
        path: at(params['missingProperty']),
        message: `is required with ${params['property']}`,
        code: 'REQUIRED',
      }
    case 'additionalProperties':
      return {
        path: at(params['additionalProperty']),
        message: 'is not a known key',
        code: 'UNKNOWN_KEY',
      }
    case 'enum':
      return {
        path: instancePath,
        message: `must be one of ${params['allowedValues'].join(', ')}`,
        code: 'ENUM',
      }
    case 'format':
      return {
        path: instancePath,
        message: `must be a ${formatNames[params['format']] ?? params['format']}`,
        code: 'FORMAT',
      }
    case 'pattern':
      return {
        path: instancePath,
        message: patternMessage(params['pattern']) ?? 'has the wrong format',
        code: 'PATTERN',
      }
    case 'type':
      return { path: instancePath, message: `${message}${isNullable ? ' or null' : ''}`, code: 'TYPE' }
    default:
      return { path: instancePath, message: message ?? 'is invalid', code: snake(keyword) }
  }
}

const formatNames: Record<string, string> = {
  snowflake: 'Discord ID: 17 to 20 digits',
  uuid: 'UUID',
  'date-time': 'date, or a date and time with a time zone, in ISO 8601',
  name: 'name: visible text without control or invisible characters and without leading or trailing spaces',
}

const snake = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** A list or object to visit. Its path is built only if there is a problem. */
interface Place {
  readonly value: object
  readonly key: string | number
  readonly parent: Place | undefined
}

/**
 * Finds NUL characters and lone surrogates. JSON permits them in strings, but the database, logs, and headers do not.
 */
function unstorable(root: unknown): ProblemDetail[] {
  const problems: ProblemDetail[] = []
  // Uses a list instead of recursion, because a body may be nested deeper than the call stack permits.
  const waiting: Place[] = []
  const visit = (value: unknown, key: string | number, parent: Place | undefined) => {
    if (typeof value === 'string') addTextProblem(problems, value, () => pathOf({ key, parent }))
    else if (typeof value === 'object' && value !== null) waiting.push({ value, key, parent })
  }
  visit(root, '', undefined)
  for (const place of waiting) {
    const { value } = place
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) visit(value[i], i, place)
    else {
      for (const key of Object.keys(value)) {
        addTextProblem(problems, key, () => pathOf(place) || '/')
        visit((value as Record<string, unknown>)[key], key, place)
      }
    }
    if (problems.length >= maxProblems) return problems
  }
  return problems
}

function pathOf({ key, parent }: Pick<Place, 'key' | 'parent'>): string {
  const keys: string[] = []
  for (let at: Pick<Place, 'key' | 'parent'> = { key, parent }; at.parent; at = at.parent)
    keys.push(String(at.key))
  return keys.reduceRight((path, one) => pointer(path, one), '')
}

function addTextProblem(problems: ProblemDetail[], text: string, pathTo: () => string) {
  if (text.includes('\0')) problems.push({ path: pathTo(), message: 'must not contain NUL', code: 'NUL' })
  else if (!text.isWellFormed())
    problems.push({ path: pathTo(), message: 'must be well-formed Unicode', code: 'UNICODE' })
}
