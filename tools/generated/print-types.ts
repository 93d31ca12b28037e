import {
  type EndpointDefinition,
  type ErrorDefinition,
  endpoints,
  errors,
  events,
  Member,
  operationIdOf,
  ProblemDetail,
  projectReads,
  type Schema,
  SessionRole,
  sessions,
  webhooks,
} from '@rolecall/contract'
import { type AnySchema, createPrinter, doc, sentence } from './print-schema.ts'

/** The schemas that have a name in the client library: the name, its comment, and the schema. */
const named: readonly (readonly [string, string, AnySchema])[] = [
  ['Member', 'A member of the community.', Member],
  ['Role', 'A role that a member holds.', SessionRole],
  ['ProblemDetail', 'One problem of a request.', ProblemDetail],
  [
    'Session',
    'A live session: its member, and the roles that they hold in its server right now.',
    sessions.ValidateResponse,
  ],
  [
    'NewSession',
    'The result of an exchange: the pair to store, the member and their roles.',
    sessions.TokenResponse,
  ],
  ['SessionListItem', 'One of a member’s sessions. It never contains a token.', sessions.SessionListItem],
  ['ServerMember', 'A member of one server, with their roles there.', projectReads.ServerMember],
  ['InboundWebhook', 'An endpoint that accepts JSON of one schema.', webhooks.InboundWebhook],
  ['NewInboundWebhook', 'A new webhook, with its secret.', webhooks.CreatedInboundWebhook],
  ['Submission', 'One accepted payload, as it was sent.', webhooks.Submission],
]

const { print, printObject } = createPrinter(named.map(([name, , schema]) => [name, schema]))

/** The endpoints that accept the API key of a project, or the session of one of its members. */
const ofProjects = endpoints.filter(
  ({ auth, path }) => auth === 'projectKey' || (auth === 'session' && !path.startsWith('/api/auth/admin/')),
)

/**
 * Returns `packages/sdk/src/contract-types.ts`, which contains the types of all endpoints for projects. They do not
 * need the contract's schema library. A test compares them with the types of the contract.
 */
export function contractTypes(): string {
  const interfaces = named.map(
    ([name, comment, schema]) => `${doc(comment, '')}export interface ${name} ${printObject(schema, '')}\n`,
  )
  const eventData = Object.entries<AnySchema>(events.Events).map(
    ([name, schema]) => `  readonly '${name}': ${print(schema, '  ')}\n`,
  )
  const statuses = [...statusesByCode()].map(
    ([code, { title, found }]) => `${doc(title, '  ')}  readonly ${code}: ${[...found].join(' | ')}\n`,
  )
  return `// Generated from packages/contract by tools/build-generated.js. Do not edit.

${interfaces.join('\n')}
/** The \`data\` of each event, by the event’s name. It never contains a token. */
export interface EventData {
${eventData.join('')}}

/** All refusals of the service by code, each with its HTTP status. */
export interface ErrorStatuses {
${statuses.join('')}}

/** The endpoints that a project may call, by their names in the API reference. */
export interface Endpoints {
${ofProjects.map(printEndpoint).join('')}}
`
}

/** Returns the HTTP statuses of each code. A code has several statuses if several rows of the error table have it. */
function statusesByCode() {
  const codes = new Map<string, { readonly title: string; readonly found: Set<number> }>()
  for (const [row, definition] of Object.entries<ErrorDefinition>(errors)) {
    const { code = row, title, status } = definition
    const known = codes.get(code) ?? { title, found: new Set() }
    known.found.add(status)
    codes.set(code, known)
  }
  return codes
}

function printEndpoint(definition: EndpointDefinition): string {
  const { method, path, summary, params, query, body = definition.payload } = definition
  const parts = Object.entries({ params, query, body }).filter((part): part is [string, Schema] => !!part[1])
  const fields = [
    `readonly method: '${method}'`,
    `readonly path: '${path}'`,
    ...parts.map(([name, schema]) => `readonly ${name}: ${print(schema, '    ')}`),
    `readonly answer: ${printAnswer(definition)}`,
  ]
  const name = operationIdOf(definition)
  return `${doc(sentence(summary), '  ')}  readonly ${name}: {\n${fields.map((field) => `    ${field}\n`).join('')}  }\n`
}

function printAnswer({ answers }: EndpointDefinition): string {
  const bodies = Object.values(answers).map((answer) => {
    if (answer === null) return 'undefined'
    if ('events' in answer) return 'EventData'
    if ('download' in answer || 'picture' in answer) throw new Error('No project downloads anything so far.')
    return print(answer, '    ')
  })
  return bodies.join(' | ')
}
