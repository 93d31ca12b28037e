import { bodyLimitOf, type EndpointDefinition, endpoints } from '@rolecall/contract'
import { branchesOf, isClosed, nameOf, propertiesOf, type Schema, unbounded } from './requests.ts'

type Endpoints = readonly EndpointDefinition[]

/** A rule about all endpoints. Its title states the requirement, and it returns every violation. */
interface ContractRule {
  readonly title: string
  readonly find: (all: Endpoints) => readonly string[]
  /** A change that makes an endpoint violate the rule. A test makes it, and checks that the rule finds it. */
  readonly planted: Readonly<Record<string, unknown>>
}

/** Endpoints that need no credentials. */
const anonymous = [
  'GET /_rolecall/callback',
  'GET /_rolecall/denied',
  'GET /_rolecall/logout',
  'GET /_rolecall/start',
  'GET /account',
  'GET /account/data',
  'GET /account/language',
  'GET /account/log-out',
  'GET /api/auth/admin/confirm',
  'GET /api/auth/admin/login',
  'GET /api/auth/authorize',
  'GET /api/auth/callback',
  'GET /api/auth/chat',
  'GET /api/auth/sso/authorize',
  'GET /api/forward-auth',
  'GET /api/health',
  'GET /api/health/live',
  'GET /api/health/ready',
  'GET /api/projects/{id}/logo',
  'GET /api/servers/{serverId}/icon/{hash}',
  'POST /_rolecall/logout',
  'POST /account/consents/{projectId}/withdraw',
  'POST /account/log-out',
  'POST /account/log-out-everywhere',
  'POST /account/sessions/{sessionId}/end',
  'POST /api/auth/admin/confirm',
  'POST /api/auth/admin/token',
  'POST /api/auth/sso/logout',
]
const unlimited = [
  'GET /api/forward-auth',
  'GET /api/health',
  'GET /api/health/live',
  'GET /api/health/ready',
]
/** Endpoints that accept more than 16 KiB. */
const large = [
  'PATCH /api/admin/projects/{id} 192 KiB',
  'PATCH /api/admin/projects/{id}/redirect-uri 128 KiB',
  'PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId} 128 KiB',
  'PATCH /api/inbound-webhooks/{id} 128 KiB',
  'POST /api/admin/projects 128 KiB',
  'POST /api/admin/projects/{projectId}/inbound-webhooks 128 KiB',
  'POST /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/try 256 KiB',
  'POST /api/inbound-webhooks 128 KiB',
  'POST /api/inbound-webhooks/{id}/submit 1024 KiB',
  'POST /api/servers/{serverId}/permissions/check-many 64 KiB',
  'PUT /api/admin/projects/{id}/logo 64 KiB',
]
const credentials = /^POST \/api\/auth\/(token|token\/refresh|validate|logout|logout-all|admin\/token)$/

/** Returns the names that are only in one of two lists, as missing in the contract or as not listed. */
const differences = (found: readonly string[], listed: readonly string[]) => [
  ...found.filter((name) => !listed.includes(name)),
  ...listed.filter((name) => !found.includes(name)),
]

const requestSchemas = ({ params, query, body }: EndpointDefinition) =>
  [params, query, body].flatMap((schema) => (schema ? [schema as Schema] : []))

/** Returns the problems of lists and unions, at any depth. */
function unboundedLists(schema: Schema): string[] {
  const objects = branchesOf(schema).filter(({ type }) => type === 'object' || type === 'array')
  const isOpen = objects.some(({ type, maxItems }) => type === 'array' && maxItems === undefined)
  return [
    ...(isOpen ? ['a list without maxItems'] : []),
    ...(new Set(objects.map(({ type }) => type)).size < objects.length ? ['a union'] : []),
    ...objects.flatMap((branch) => [
      ...propertiesOf(branch).flatMap(([, property]) => unboundedLists(property)),
      ...(branch.items ? unboundedLists(branch.items) : []),
    ]),
  ]
}

const problemsIn = (all: Endpoints, of: (schema: Schema) => readonly unknown[]) =>
  all.flatMap((one) =>
    requestSchemas(one).flatMap((schema) =>
      of(schema).map((problem) => `${nameOf(one)}: ${JSON.stringify(problem)}`),
    ),
  )

const bodyOf = (property: Schema) => ({
  type: 'object',
  properties: { planted: property },
  additionalProperties: false,
})

export const contractRules: readonly ContractRule[] = [
  {
    title: 'every endpoint without credentials is on the list',
    find: (all) => differences(all.filter(({ auth }) => auth === 'none').map(nameOf), anonymous),
    planted: { auth: 'none' },
  },
  {
    title: 'everything under /api/admin/ is for administrators, and nothing else is',
    find: (all) =>
      all.filter(({ path, auth }) => path.startsWith('/api/admin/') !== (auth === 'admin')).map(nameOf),
    planted: { path: '/api/admin/planted' },
  },
  {
    title: 'every body is closed, except payloads that have a schema of their own',
    find: (all) =>
      all
        .filter((one) => one.body && !isClosed(one))
        .map(nameOf)
        .filter((name) => name !== 'POST /api/inbound-webhooks/{id}/submit'),
    planted: { body: { type: 'object', properties: {} } },
  },
  {
    title: 'every endpoint without a rate limit is on the list',
    find: (all) => differences(all.filter((one) => one.unlimited !== undefined).map(nameOf), unlimited),
    planted: { unlimited: 'It is planted by a test, which sees it found.' },
  },
  {
    title: 'every endpoint without a rate limit says why',
    find: (all) =>
      all.flatMap((one) =>
        one.unlimited === undefined || /^[A-Z].{30,}\.$/.test(one.unlimited) ? [] : [nameOf(one)],
      ),
    planted: { unlimited: 'because' },
  },
  {
    title: 'credentials come in bodies of at most 4 KiB',
    find: (all) =>
      all
        .filter((one) => one.method !== 'GET' && bodyLimitOf(one) > 4 * 1024)
        .map(nameOf)
        .filter((name) => credentials.test(name)),
    planted: { path: '/api/auth/validate', body: bodyOf({ type: 'null' }), bodyLimit: 8 * 1024 },
  },
  {
    title: 'only what is listed accepts more than 16 KiB',
    find: (all) =>
      differences(
        all
          .filter((one) => one.method !== 'GET' && bodyLimitOf(one) > 16 * 1024)
          .map((one) => `${nameOf(one)} ${bodyLimitOf(one) / 1024} KiB`),
        large,
      ),
    planted: { body: bodyOf({ type: 'null' }), bodyLimit: 32 * 1024 },
  },
  {
    // The size check relies on this rule. It runs before the validator.
    title: 'every list in a request is bounded, and no union has two objects',
    find: (all) => problemsIn(all, unboundedLists),
    planted: { body: bodyOf({ type: 'array', items: { type: 'boolean' } }) },
  },
  {
    title: 'every string and number in a request is bounded',
    find: (all) => problemsIn(all, unbounded),
    planted: { body: bodyOf({ type: 'string' }) },
  },
]

/** Returns the contract with an additional endpoint that violates a rule. */
export const withPlanted = ({ planted }: ContractRule): Endpoints => [
  ...endpoints,
  {
    ...{ method: 'POST', path: '/api/planted', auth: 'projectKey', answers: {}, refuses: [] },
    ...planted,
  } as unknown as EndpointDefinition,
]
