import type { Schema } from './fields.ts'

const byFormat: Record<string, string> = {
  uuid: '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b',
  snowflake: '1183542208736677898',
  'date-time': '2026-03-01T12:00:00.000Z',
}

/** Values that say more than their type: tokens by their prefix, addresses by their shape. */
const byName: Record<string, unknown> = {
  token: 'rcs_…',
  accessToken: 'rcs_…',
  refreshToken: 'rcr_…',
  code: 'rcc_…',
  apiKey: 'rck_…',
  clientId: byFormat['uuid'],
  redirectUri: 'https://project.example/callback',
  redirect_uri: 'https://project.example/callback',
  state: 'opaque',
  redirectUris: ['https://project.example/callback'],
  memberId: byFormat['snowflake'],
  username: 'ada',
  uptime: 3600.5,
}

/** A value that fits a schema, for a reader to see its shape. Optional keys are left out where asked. */
export function exampleOf(schema: Schema, { requiredOnly = false } = {}, name = ''): unknown {
  const isPlain = schema.type !== 'object' && schema.enum === undefined
  if (isPlain && name in byName && schema.format === undefined) return byName[name]
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, { requiredOnly }, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, requiredOnly)
    case 'array':
      return [exampleOf(schema.items ?? {}, { requiredOnly }, name.replace(/s$/, ''))]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return byFormat[schema.format ?? ''] ?? (schema.type === 'string' ? '…' : {})
  }
}

function exampleObject({ properties = {}, required = [] }: Schema, requiredOnly: boolean) {
  const shown = Object.entries(properties).filter(([key]) => !requiredOnly || required.includes(key))
  return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, { requiredOnly }, key)]))
}
