import { formats, type ProblemDetail } from '@rolecall/contract'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'

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
 * Compiles a schema of the contract to a function that lists everything wrong with a value. In a value that is
 * good every id gets its one spelling.
 */
export function compile(schema: TSchema): (value: unknown) => ProblemDetail[] {
  const validate = ajv.compile(schema)
  const spellIds = idSpeller(schema)
  return (value) => {
    if (!validate(value)) return [...describe(validate.errors), ...unstorable(value)]
    spellIds(value)
    return unstorable(value)
  }
}

/**
 * RFC 9562 §4: a UUID is read in any case and written in lower case. Behind the edge there is one spelling, so what
 * passes one check cannot fail the next. Ids are properties of params, query or body, and never deeper.
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
    .filter((error) => error.keyword !== 'if' && isWorthSaying(error, nullable))
    .map((error) => describeOne(error, nullable.has(unionOf(error))))
}

/** Where the schema of a branch's failure has its union; undefined outside of one. */
const unionOf = ({ schemaPath }: ErrorObject) => /^(.*\/anyOf)\/\d+\//.exec(schemaPath)?.[1]

/**
 * A union fails once for itself and once for each branch; one of them says enough. Where a branch is null,
 * what is wrong with the value says more than that it fits neither.
 */
function isWorthSaying(error: ErrorObject, nullable: Set<string | undefined>): boolean {
  if (error.keyword === 'anyOf') return !nullable.has(error.schemaPath)
  const union = unionOf(error)
  return union === undefined || (nullable.has(union) && error.params['type'] !== 'null')
}

function describeOne(
  { keyword, instancePath, params, message }: ErrorObject,
  isNullable: boolean,
): ProblemDetail {
  const at = (key: string) => `${instancePath}/${escapePointer(key)}`
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
        path: at(params['additionalProperty'].slice(0, 100)),
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
    case 'type':
      return { path: instancePath, message: `${message}${isNullable ? ' or null' : ''}`, code: 'TYPE' }
    default:
      return { path: instancePath, message: message ?? 'is invalid', code: snake(keyword) }
  }
}

const formatNames: Record<string, string> = {
  snowflake: 'chat-platform id: 17 to 20 digits',
  uuid: 'UUID',
  'date-time': 'date, or date and time with zone, in ISO 8601',
}

const snake = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
const escapePointer = (key: string) => key.replace(/~/g, '~0').replace(/\//g, '~1')

/** NUL and lone surrogates are strings to JSON and to nobody else: no table, log or header takes them. */
function unstorable(root: unknown): ProblemDetail[] {
  const problems: ProblemDetail[] = []
  // A list of our own instead of recursion: a body may be nested deeper than the engine's stack.
  const waiting: { value: unknown; path: string }[] = [{ value: root, path: '' }]
  for (const { value, path } of waiting) {
    if (typeof value === 'string') problems.push(...unstorableText(value, path))
    else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        problems.push(...unstorableText(key, path || '/'))
        waiting.push({ value: one, path: `${path}/${escapePointer(key)}` })
      }
    }
  }
  return problems
}

function unstorableText(text: string, path: string): ProblemDetail[] {
  if (text.includes('\0')) return [{ path, message: 'must not contain NUL', code: 'NUL' }]
  if (!text.isWellFormed()) return [{ path, message: 'must be well-formed Unicode', code: 'UNICODE' }]
  return []
}
