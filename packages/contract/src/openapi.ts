import type { TSchema } from 'typebox'
import { endpoints } from './contract.ts'
import { type Answer, type Auth, type EndpointDefinition, refusals } from './endpoint.ts'
import { type ErrorCode, errors } from './errors.ts'
import { Problem } from './problem.ts'

type Json = Record<string, unknown>

const security: Record<Auth, Json[]> = {
  none: [],
  projectKey: [{ projectKey: [] }],
  session: [{ sessionToken: [] }],
  admin: [{ adminToken: [] }, { adminCookie: [] }],
}

/** The OpenAPI 3.1 document of the whole contract. `publicUrl` becomes its only server. */
export function openApi(publicUrl: string, version: string): Json {
  const paths: Record<string, Json> = {}
  for (const definition of endpoints) {
    paths[definition.path] = {
      ...paths[definition.path],
      [definition.method.toLowerCase()]: operation(definition),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rolecall',
      version,
      description: 'Membership identity and sessions for communities on a chat platform.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem },
      securitySchemes: {
        projectKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        sessionToken: { type: 'http', scheme: 'bearer', description: 'A session token.' },
        adminToken: { type: 'http', scheme: 'bearer', description: 'An admin session token.' },
        adminCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_admin',
          description: 'Same-origin pages only.',
        },
      },
    },
  }
}

function operation(definition: EndpointDefinition): Json {
  const { method, path, tag, summary, description, auth, body, bodyOptional } = definition
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, c = '') => c.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: security[auth],
    parameters: [
      ...parameters('path', definition.params),
      ...parameters('query', definition.query),
      ...parameters('header', definition.headers),
    ],
    ...(body && {
      requestBody: { required: !bodyOptional, content: { 'application/json': { schema: body } } },
    }),
    responses: { ...successes(definition), ...failures(definition) },
  }
}

function parameters(place: string, schema: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function successes({ answers }: EndpointDefinition): Json {
  return Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer)]))
}

function response(answer: Answer): Json {
  if (answer === null) return { description: 'Done; no body.' }
  if ('download' in answer) {
    const media = answer.download.map((type) => [type, { schema: { type: 'string' } }])
    return { description: 'A file.', content: Object.fromEntries(media) }
  }
  if ('events' in answer) {
    // OpenAPI 3.1 has no words for the events of a stream.
    const stream = { schema: { type: 'string' }, 'x-events': answer.events }
    return { description: 'Server-Sent Events.', content: { 'text/event-stream': stream } }
  }
  return { description: 'Success.', content: { 'application/json': { schema: answer } } }
}

function failures(definition: EndpointDefinition): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of refusals(definition)) {
    const { status } = errors[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    ...(definition.page && { 'text/html': { schema: { type: 'string' } } }),
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\`: ${errors[code].title}`).join('\n\n'), content },
    ]),
  )
}
