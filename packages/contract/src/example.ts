import type { Schema } from './json-schema.ts'
import { mapFields, memberFields, storedFields } from './member-fields.ts'

const byFormat: Readonly<Record<string, string>> = {
  uuid: '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b',
  snowflake: '1183542208736677898',
  'date-time': '2026-03-01T12:00:00.000Z',
  name: 'Harbour log',
}

/**
 * Examples by the name of a field, for fields where the type alone gives no clear example, such as tokens and
 * addresses.
 */
const byName: Readonly<Record<string, unknown>> = {
  ...mapFields(storedFields, (name) => memberFields[name].example),
  displayName: memberFields.displayName.example,
  token: 'rcs_…',
  accessToken: 'rcs_…',
  refreshToken: 'rcr_…',
  code: 'rcc_…',
  apiKey: 'rck_…',
  secret: 'whsec_…',
  prefix: 'rck_1a2b3c4d',
  keyPrefix: 'rck_1a2b3c4d',
  clientId: byFormat['uuid'],
  sessionId: byFormat['uuid'],
  memberId: byFormat['snowflake'],
  redirectUri: 'https://crew.example/callback',
  redirect_uri: 'https://crew.example/callback',
  redirectUris: ['https://crew.example/callback'],
  uri: 'https://crew.example/callback',
  webhookUrl: 'https://discord.com/api/webhooks/1183542208736677898/…',
  eventsUrl: 'https://crew.example/events',
  eventsSecret: 'whsec_…',
  acceptedOrigins: ['https://crew.example'],
  origin: 'https://crew.example',
  Origin: 'https://crew.example',
  return_to: '/console/',
  state: 'opaque',
  id: 'contact-form',
  slug: 'contact-form',
  // Contains no characters of `\p{Cc}`: linters that read patterns without Unicode would reject them.
  name: 'Harbour log',
  projectName: 'Harbour log',
  serverName: 'Sailing club',
  roleName: 'Captain',
  roleNames: ['Captain'],
  actorUsername: 'ada',
  search: 'ada',
  icon: 'https://cdn.discordapp.com/embed/avatars/0.png',
  serverIcon: 'https://cdn.discordapp.com/embed/avatars/0.png',
  action: 'project.create',
  route: 'POST /api/auth/validate',
  path: '/api/auth/validate',
  ip: '203.0.113.7',
  address: '203.0.113.7',
  ipAddress: '203.0.113.7',
  'X-Client-Ip': '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  'X-Client-User-Agent': 'Mozilla/5.0',
  'X-SVC-Signature': 't=1772366400,v1=…',
  'Idempotency-Key': 'order-1815',
  'Last-Event-ID': byFormat['uuid'],
  cursor: '9312-88-t3vk9c',
  changedSince: '48151.3',
  changeCursor: '48151.3',
  schema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
  payload: { title: 'Regatta on Sunday' },
  accentColor: '#0b57b7',
  color: 15_844_367,
  roleColor: 15_844_367,
  uptime: 3600.5,
}

/** Examples for texts that have only a pattern or a length. The first one that fits the schema is used. */
const anyText = [
  '…',
  'example',
  '/console/',
  'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  '1772366400000-4815',
  '1772366400000-01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b',
  'a_d5efa99b3eeaa7dd43acca82f5692432',
  'http://127.0.0.1:49152/callback',
]

interface ExampleOptions {
  /** Omits optional keys. */
  readonly requiredOnly?: boolean
}

/**
 * Returns a value that matches a schema, for the documentation.
 *
 * @param name The name of the field. It selects an example from `byName`, if that matches the schema.
 */
export function exampleOf(schema: Schema, options: ExampleOptions = {}, name = ''): unknown {
  if (schema.anyOf) return exampleOf(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, options, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (fits(schema, byName[name])) return byName[name]
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, options)
    case 'array':
      return [exampleOf(schema.items ?? {}, options, name.replace(/s$/, ''))]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return byFormat[schema.format ?? ''] ?? anyText.find((text) => fits(schema, text)) ?? anyText[0]
    default:
      return {}
  }
}

/** Returns the shortest useful body of an endpoint: the required fields, or else the first optional field. */
export function exampleBody(schema: Schema): unknown {
  const { required = [], properties } = schema
  const [first] = Object.entries(properties ?? {})
  if (required.length === 0 && first) return { [first[0]]: exampleOf(first[1], {}, first[0]) }
  return exampleOf(schema, { requiredOnly: true }, 'payload')
}

/** Returns an example of a stream of Server-Sent Events, with one event of each name. */
export const exampleStream = (events: Readonly<Record<string, Schema>>): string =>
  Object.entries(events)
    .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(exampleOf(data))}`)
    .join('\n\n')

/** Returns an example of a download with one row: CSV as text, or JSON as a value. */
export function exampleDownload(mediaType: string, row: Schema): unknown {
  const example = exampleOf(row) as Readonly<Record<string, unknown>>
  if (mediaType !== 'text/csv') return [example]
  const cells = Object.values(example).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  )
  const quoted = cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  return `${Object.keys(example).join(',')}\r\n${quoted.join(',')}\r\n`
}

/** Returns true if a schema has no format of its own and accepts the value. */
function fits(schema: Schema, value: unknown): boolean {
  if (value === undefined || schema.format !== undefined) return false
  switch (schema.type) {
    case 'string': {
      const { pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
      if (typeof value !== 'string' || !new RegExp(pattern, 'u').test(value)) return false
      return value.length >= minLength && value.length <= maxLength
    }
    case 'array':
      return Array.isArray(value) && value.every((one) => fits(schema.items ?? {}, one))
    case 'object':
      return typeof value === 'object' && schema.properties === undefined
    case 'integer':
    case 'number':
      return typeof value === 'number' && schema.minimum === undefined && schema.maximum === undefined
    default:
      return schema.type === undefined
  }
}

function exampleObject({ properties = {}, required = [] }: Schema, options: ExampleOptions) {
  const shown = Object.entries(properties).filter(([key]) => !options.requiredOnly || required.includes(key))
  return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, options, key)]))
}
