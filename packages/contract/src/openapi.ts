import type { TSchema } from 'typebox'
import { endpoints, operationIdOf } from './contract.ts'
import type { Auth, EndpointDefinition } from './endpoint.ts'
import { exampleBody, exampleOf } from './example.ts'
import type { Schema } from './json-schema.ts'
import { responseHeaders } from './openapi-headers.ts'
import {
  anyRefusal,
  documentedRefusals,
  partName,
  problemExamples,
  responsesOf,
} from './openapi-responses.ts'
import { createSchemaRegistry, type SchemaRegistry } from './openapi-schemas.ts'
import { Problem } from './problem.ts'

type Json = Record<string, unknown>
type Refer = SchemaRegistry['refer']

const security: Record<Auth, Json[]> = {
  none: [],
  projectKey: [{ projectKey: [] }],
  session: [{ sessionToken: [] }],
  admin: [{ adminToken: [] }, { adminCookie: [] }],
}

const securitySchemes = {
  projectKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key of a project.' },
  sessionToken: { type: 'http', scheme: 'bearer', description: 'A session token.' },
  adminToken: { type: 'http', scheme: 'bearer', description: 'An admin session token.' },
  adminCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_admin',
    description: 'Same-origin pages only.',
  },
}

/** A description of each chapter of the contract. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Login: 'The sign-in of a browser: for a project, by single sign-on, or as a System Admin.',
  Sessions: 'Sessions of members in projects: start, validate, rotate, list, and end them.',
  Projects: 'Projects, their API keys, and their redirect URIs.',
  'Project-server access': 'The access of each project in each server, and the trail of its changes.',
  'Members, for projects': 'Members and their roles, within the scopes of a project.',
  Account: 'The account page of a person, for browsers.',
  Servers: 'The registered Discord servers.',
  Members: 'Members across servers, for administrators.',
  Explanations: 'Explain why a member has access or is refused, and the effect of a change.',
  'Inbound webhooks': 'Addresses that accept JSON from other programs, each with a schema.',
  Events: 'A stream of changes to sessions and members.',
  Notifications: 'Notices that the service posts to the webhook of a project.',
  'Audit log': 'Actions of administrators and of the service itself.',
  Profile: 'The calling System Admin.',
  Settings: 'Settings that change without a restart.',
  Monitoring: 'Detailed health, usage, rejected credentials, and statistics.',
  Health: 'For load balancers and orchestrators.',
}

/**
 * Returns the OpenAPI 3.1 document of the whole contract, with `publicUrl` as its only server. Operations have the
 * names of the contract's exports, and schemas are named components, so generated clients have readable names.
 */
export function openApi(publicUrl: string, version: string): Json {
  const { refer, components } = createSchemaRegistry()
  const paths: Record<string, Json> = {}
  for (const definition of endpoints) {
    paths[definition.path] = {
      ...paths[definition.path],
      [definition.method.toLowerCase()]: operation(definition, refer),
    }
  }
  refer(Problem as Schema)
  const refused = new Set<string>(endpoints.flatMap(documentedRefusals))
  const examples = Object.entries(problemExamples(publicUrl)).filter(([name]) => refused.has(name))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rolecall',
      version,
      description: 'Sign-in, sessions, and live roles for Discord communities.',
      contact: { name: 'API pages of the service', url: `${publicUrl}/api/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? name,
    })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: { Refusal: anyRefusal },
      examples: Object.fromEntries(examples),
      headers: responseHeaders,
      securitySchemes,
    },
  }
}

function operation(definition: EndpointDefinition, refer: Refer): Json {
  const { tag, summary, description = `${summary}.`, auth } = definition
  const requestBody = requestBodyOf(definition, refer)
  return {
    operationId: operationIdOf(definition),
    tags: [tag],
    summary,
    description,
    security: security[auth],
    parameters: [
      ...parameters('path', definition.params, refer),
      ...parameters('query', definition.query, refer),
      ...parameters('header', definition.headers, refer),
    ],
    ...(requestBody && { requestBody }),
    responses: responsesOf(definition, refer),
  }
}

function requestBodyOf(definition: EndpointDefinition, refer: Refer): Json | undefined {
  const { body, payload, upload } = definition
  if (upload) {
    return { required: true, content: Object.fromEntries(upload.map((type) => [type, {}])) }
  }
  const sent: Schema | undefined = body ?? payload
  if (!sent) return undefined
  const { description, ...schema } = sent
  return {
    required: !definition.bodyOptional,
    ...(description !== undefined && { description }),
    content: {
      'application/json': {
        schema: refer(schema, body && partName(definition, 'Input')),
        example: exampleBody(sent),
      },
    },
  }
}

/** Returns a parameter for each property of a schema. The description of the property becomes that of the parameter. */
function parameters(place: string, schema: TSchema | undefined, refer: Refer): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: refer(property),
    example: exampleOf(property, {}, name),
  }))
}
