import { type EndpointDefinition, endpoints, formats } from '@rolecall/contract'
import fc from 'fast-check'
import { branchesOf, nameOf, propertiesOf, type Schema } from './requests.ts'

/** A request as it goes over the wire: anything from nearly right to nonsense. */
export interface WildRequest {
  /** `METHOD /path` of the contract. */
  readonly endpoint: string
  readonly as: 'right' | 'nobody' | 'project' | 'member' | 'admin'
  readonly path: string
  readonly headers: Record<string, string>
  readonly raw: string | Uint8Array<ArrayBuffer> | undefined
}

const nasty = fc.constantFrom(
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  'null',
  'true',
  '[]',
  '__proto__',
  'constructor',
  "'; drop table members; --",
  '%',
  '%00',
  '../../etc/passwd',
  '<script>',
  '=cmd()',
  '\u202e',
  'é',
  'e\u0301',
  '🦊',
  '\0',
  '\ud800',
  '9'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '2026-02-30',
  '9999-12-31T23:59:59.999999999+23:59',
  '1970-01-01T00:00:00-23:59',
  '18446744073709551616',
  '00000000-0000-0000-0000-000000000000',
)
const anyText = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 300 }))

/** Any JSON value; JSON.stringify writes it as a client would. */
const anyValue = fc.oneof(anyText, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(1e308, -0, 2 ** 53, 0.1))

const byFormat: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  snowflake: fc.bigInt(10n ** 16n, 2n ** 64n - 1n).map(String),
  'date-time': fc
    .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
}

/** Those of the known values that have the format; all of them where there is none. */
function existing(known: readonly string[], format: string): readonly string[] {
  const fits = (formats as Record<string, (value: string) => boolean>)[format]
  const found = fits ? known.filter(fits) : known
  return found.length > 0 ? found : known
}

/** A value that fits, as far as a pattern is not asked for. `known` are values that exist. */
function fitting(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const [first = schema, ...others] = branchesOf(schema)
  if (others.length > 0) return fc.oneof(...branchesOf(schema).map((one) => fitting(one, known)))
  if (first.enum) return fc.constantFrom(...first.enum)
  if (first.const !== undefined) return fc.constant(first.const)
  switch (first.type) {
    case 'string': {
      const { minLength = 0, maxLength = 200, format = '' } = first
      const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) })
      return fc.oneof(byFormat[format] ?? free, fc.constantFrom(...existing(known, format)))
    }
    case 'integer':
    case 'number':
      return fc.integer({ min: first.minimum ?? -1e9, max: first.maximum ?? 1e9 })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(wild(first.items ?? {}, known), { maxLength: 4 })
    case 'object':
      return object(first, known)
    default:
      return anyValue
  }
}

const wild = (schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fitting(schema, known) }, { weight: 1, arbitrary: anyValue })

function object(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(propertiesOf(schema).map(([key, one]) => [key, wild(one, known)]))
  const whole = fc.record(fields, { requiredKeys: [] })
  const required = fc.record(fields, { requiredKeys: [...(schema.required ?? [])] })
  const extra = fc.tuple(required, fc.dictionary(anyText, anyValue, { maxKeys: 2 }))
  return fc.oneof(
    { weight: 6, arbitrary: required },
    { weight: 2, arbitrary: whole },
    { weight: 1, arbitrary: extra.map(([a, b]) => ({ ...a, ...b })) },
  )
}

const wellFormed = (value: unknown) => encodeURIComponent(String(value).toWellFormed())
/** Empty and dot segments would be another path: clients resolve them before they send. */
const segment = (value: unknown) => wellFormed(value).replace(/^(\.{0,2})$/, 'x$1')
const rawEscape = fc.constantFrom('%ff', '%00', '%', '%c0%80', '%ed%a0%80', '+', 'a%2fb')

function paths({ path, params, query }: EndpointDefinition, known: readonly string[]): fc.Arbitrary<string> {
  const places = Object.fromEntries(propertiesOf(params))
  const segments = path.split('/').map((part) => {
    if (!part.startsWith('{')) return fc.constant(part)
    const value = wild(places[part.slice(1, -1)] ?? {}, known).map(segment)
    return fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: rawEscape })
  })
  const keys = propertiesOf(query)
  const pairsOfKeys = keys.map(([key, schema]) =>
    wild(schema, known).map((value) => `${key}=${wellFormed(Array.isArray(value) ? value.join() : value)}`),
  )
  const other = fc
    .tuple(anyText, fc.oneof(anyText.map(wellFormed), rawEscape))
    .map(([key, value]) => `${wellFormed(key)}=${value}`)
  const raw = rawEscape.map((value) => `${keys[0]?.[0] ?? 'x'}=${value}`)
  const weighted = [...pairsOfKeys, ...pairsOfKeys, ...pairsOfKeys, ...pairsOfKeys, other, raw]
  const search = fc.array(fc.oneof(...weighted), { maxLength: keys.length === 0 ? 1 : 6 })
  return fc.tuple(fc.tuple(...segments), search).map(([parts, pairs]) => {
    return parts.join('/') + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
  })
}

function bodies({ body, method }: EndpointDefinition, known: readonly string[]) {
  const nonsense = fc.oneof(
    anyValue.map((value) => JSON.stringify(value) ?? ''),
    anyText,
    fc.uint8Array({ maxLength: 50 }).map((bytes) => new Uint8Array(bytes)),
    fc.constantFrom('{', '[[[[', '{"a":1}}', '"\\ud800"', '\uFEFF{}', '{"__proto__":{"x":1}}'),
  )
  if (!body)
    return method === 'GET' ? fc.constant(undefined) : fc.option(nonsense, { nil: undefined, freq: 2 })
  const nearlyRight = wild(body as Schema, known).map((value) => JSON.stringify(value) ?? '')
  return fc.oneof({ weight: 6, arbitrary: nearlyRight }, { weight: 1, arbitrary: nonsense })
}

const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((c) => String.fromCharCode(c)), maxLength: 200 })
  .map((text) => text.replaceAll('\x7f', ''))
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'cookie',
    'content-type',
    'x-request-id',
    'x-client-ip',
    'x-client-user-agent',
    'user-agent',
    'origin',
    'referer',
    'idempotency-key',
    'x-svc-signature',
    'x-forwarded-for',
    'x-forwarded-host',
    'if-none-match',
    'range',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom('application/json', 'text/html', 'svc_admin=x; svc_admin=y', 'svc_sso=%ff', 't=1,v1=00'),
  ),
  { maxKeys: 3 },
)

/** Any request to any endpoint. `known` are ids and words that exist, so that some requests get far. */
export const wildRequest = (known: readonly string[]): fc.Arbitrary<WildRequest> =>
  fc.constantFrom(...endpoints).chain((endpoint) =>
    fc.record({
      endpoint: fc.constant(nameOf(endpoint)),
      as: fc.oneof(
        { weight: 6, arbitrary: fc.constant('right' as const) },
        { weight: 1, arbitrary: fc.constantFrom('nobody', 'project', 'member', 'admin') },
      ),
      path: paths(endpoint, known),
      headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      raw: bodies(endpoint, known),
    }),
  )
