import { bodyLimitOf, type EndpointDefinition, endpoints, formats } from '@rolecall/contract'
import fc from 'fast-check'
import { branchesOf, nameOf, propertiesOf, type Schema } from './requests.ts'

/** A request as it is sent: from nearly valid to completely invalid. */
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

/** Generates any JSON value. */
const anyValue = fc.oneof(anyText, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(1e308, -0, 2 ** 53, 0.1))

/**
 * Values at the edge of their format, on both sides of it: those that a handler must never receive, and those that it
 * must handle.
 */
const edges: Record<string, readonly string[]> = {
  uuid: [
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF',
    '{01900000-0000-7000-8000-000000000000}',
    '01900000000070008000000000000000',
  ],
  snowflake: [
    '10000000000000000',
    String(2n ** 63n - 1n),
    String(2n ** 63n),
    String(2n ** 64n - 1n),
    String(2n ** 64n),
    '01100089314336833537',
    '0',
  ],
  'date-time': [
    '9999-12-31T23:59:59-23:00',
    '9999-12-31T23:59:59.9999999Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31',
    '0001-01-01',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+23:59',
    '1970-01-01',
    '2016-12-31T23:59:60Z',
    '2026-06-31',
    '2024-02-29t00:00z',
    '+010000-01-01T00:00:00Z',
    'infinity',
    'now',
  ],
}

const valid: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  snowflake: fc.bigInt(10n ** 16n, 2n ** 64n - 1n).map(String),
  'date-time': fc
    .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
}
const byFormat = Object.fromEntries(
  Object.entries(valid).map(([format, arbitrary]) => [
    format,
    fc.oneof({ weight: 2, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(...(edges[format] ?? [])) }),
  ]),
)

/** Numbers on both sides of the limits at which a programming language changes their representation. */
const numberEdges = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53].flatMap((edge) => [
  edge,
  -edge,
])

/** Returns the known values with this format, or all known values if there is none. */
function existing(known: readonly string[], format: string): readonly string[] {
  const fits = (formats as Record<string, (value: string) => boolean>)[format]
  const found = fits ? known.filter(fits) : known
  return found.length > 0 ? found : known
}

/** Generates a valid value, unless the schema has a pattern. `known` contains existing values. */
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
      return numbers(first)
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

/** Generates numbers within their bounds, the bounds themselves, and the next numbers outside of them. */
function numbers({ minimum = -1e9, maximum = 1e9 }: Schema): fc.Arbitrary<number> {
  const bounds = [minimum - 1, minimum, maximum, maximum + 1, ...numberEdges]
  const inside = fc.integer({ min: minimum, max: maximum })
  return fc.oneof({ weight: 2, arbitrary: inside }, { weight: 1, arbitrary: fc.constantFrom(...bounds) })
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

/** Never calls `toString` of an object, because a generated object may have a property with this name. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const wellFormed = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed())
/** Avoids empty segments and dot segments, because clients resolve them to another path before they send it. */
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
  // Generates values up to the length of a request line, and repeats one name as often as it fits.
  const long = fc
    .tuple(
      fc.constantFrom(...keys.map(([key]) => key), 'x', '__proto__'),
      fc.constantFrom('1', '%61', 'a,b,c,,'),
    )
    .map(([key, value]) => `${key}=${value}&`.repeat(Math.floor(10_000 / (key.length + value.length + 2))))
  const weighted = [...pairsOfKeys, ...pairsOfKeys, ...pairsOfKeys, ...pairsOfKeys, other, raw]
  const search = fc.array(fc.oneof(...weighted), { maxLength: keys.length === 0 ? 1 : 6 })
  const searches = fc.oneof(
    { weight: 19, arbitrary: search },
    { weight: 1, arbitrary: long.map((text) => [text]) },
  )
  return fc.tuple(fc.tuple(...segments), searches).map(([parts, pairs]) => {
    return parts.join('/') + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
  })
}

/**
 * Generates a body of up to a megabyte: the cost of refusing a byte must not be much higher than that of sending it.
 */
function hugeBodies({ body, ...rest }: EndpointDefinition): fc.Arbitrary<string> {
  const keys = propertiesOf(body).map(([key]) => key)
  const size = fc.constantFrom(bodyLimitOf({ body, ...rest } as EndpointDefinition), 2 ** 20, 2 ** 20 + 1)
  return fc.tuple(size, fc.constantFrom(...keys, 'x'), fc.nat(4)).map(([bytes, key, kind]) => {
    const start = `{"${key}":`
    if (kind === 0) return `${start}"${'x'.repeat(bytes - start.length - 3)}"}`
    if (kind === 1) return `${start}[1${',1'.repeat(Math.floor((bytes - start.length - 4) / 2))}]}`
    if (kind === 2) {
      const more = Array.from({ length: Math.floor((bytes - start.length - 3) / 10) }, (_, i) => `,"k${i}":1`)
      return `${start}1${more.join('')}}`.slice(0, bytes)
    }
    const depth = Math.floor((bytes - start.length - 2) / 2)
    if (kind === 3) return `${start}${'['.repeat(depth)}${']'.repeat(depth)}}`
    return '{'.repeat(bytes)
  })
}

function bodies(endpoint: EndpointDefinition, known: readonly string[]) {
  const { body, method } = endpoint
  const nonsense = fc.oneof(
    anyValue.map((value) => JSON.stringify(value) ?? ''),
    anyText,
    fc.uint8Array({ maxLength: 50 }).map((bytes) => new Uint8Array(bytes)),
    fc.constantFrom('{', '[[[[', '{"a":1}}', '"\\ud800"', '\uFEFF{}', '{"__proto__":{"x":1}}'),
  )
  if (!body)
    return method === 'GET'
      ? fc.constant(undefined)
      : fc.option(
          fc.oneof({ weight: 9, arbitrary: nonsense }, { weight: 1, arbitrary: hugeBodies(endpoint) }),
          { nil: undefined, freq: 2 },
        )
  const nearlyRight = wild(body as Schema, known).map((value) => JSON.stringify(value) ?? '')
  return fc.oneof(
    { weight: 24, arbitrary: nearlyRight },
    { weight: 4, arbitrary: nonsense },
    { weight: 1, arbitrary: hugeBodies(endpoint) },
  )
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

/** Generates a request to any endpoint. `known` contains existing IDs and words, so that some requests succeed. */
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
