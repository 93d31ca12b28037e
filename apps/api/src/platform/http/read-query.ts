import type { ProblemDetail } from '@rolecall/contract'
import type { TSchema } from 'typebox'

type Properties = Record<string, { type?: string; items?: unknown }>

/**
 * Reads a query string, and converts each value as its schema requires: digits to a number, `true` and `false` to a
 * boolean, and a repeated or comma-separated parameter to a list. A value that cannot be converted stays a string, and
 * the validation reports it. Where the schema has no list, a repeated parameter is a problem.
 */
export function readQuery(
  search: string,
  schema: TSchema,
): { value: Record<string, unknown>; problems: ProblemDetail[] } {
  const properties = ((schema as { properties?: Properties }).properties ?? {}) as Properties
  const given = new Map<string, string[]>()
  const problems: ProblemDetail[] = []
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decode(cut < 0 ? pair : pair.slice(0, cut))
    const value = decode(cut < 0 ? '' : pair.slice(cut + 1))
    if (name === undefined || value === undefined) {
      problems.push({
        path: name === undefined ? '' : `/${name}`,
        message: 'is not percent-encoded UTF-8',
        code: 'ENCODING',
      })
    } else {
      const before = given.get(name)
      if (before) before.push(value)
      else given.set(name, [value])
    }
  }
  const value: Record<string, unknown> = Object.create(null)
  for (const [name, values] of given) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    value[name] = convert(values, property)
    if (property && property.type !== 'array' && values.length > 1)
      problems.push({ path: `/${name}`, message: 'must not be repeated', code: 'REPEATED' })
  }
  return { value, problems }
}

function convert(values: string[], property: Properties[string] | undefined): unknown {
  if (property?.type === 'array') return values.flatMap((value) => value.split(',').map((one) => one.trim()))
  const [value = ''] = values
  if ((property?.type === 'integer' || property?.type === 'number') && /^\d{1,15}$/.test(value))
    return Number(value)
  if (property?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
