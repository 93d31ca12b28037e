import { operationIdOf } from './contract.ts'
import { type Answer, type EndpointDefinition, refusals } from './endpoint.ts'
import { type ErrorCode, type ErrorDefinition, errors } from './errors.ts'
import { exampleDownload, exampleOf, exampleStream } from './example.ts'
import { headersOf, type ResponseHeader, responseHeaders } from './openapi-headers.ts'
import type { SchemaRegistry } from './openapi-schemas.ts'

type Json = Record<string, unknown>
type Refer = SchemaRegistry['refer']

interface Response {
  readonly description: string
  readonly headers: Json
  readonly content?: Json
}

/** Returns all responses of an operation: its successes, its refusals by status, and the refusals of any request. */
export function responsesOf(definition: EndpointDefinition, refer: Refer): Json {
  const refused = refusalsByStatus(definition)
  const statuses = new Set([...Object.keys(definition.answers).map(Number), ...refused.keys()])
  const described = [...statuses].map((status) => {
    const response = definition.answers[status]
    const codes = refused.get(status)
    const responses = [
      ...(response === undefined ? [] : [success(definition, status, response, refer)]),
      ...(codes === undefined ? [] : [refusal(definition, status, codes)]),
    ]
    return [status, responses.reduce(both)] as const
  })
  return { ...Object.fromEntries(described), default: { $ref: '#/components/responses/Refusal' } }
}

/** The response for refusals that no endpoint lists: malformed HTTP, a stopping instance, or an internal error. */
export const anyRefusal: Response = {
  description: 'Any other error.',
  headers: headersOf('X-Request-Id'),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** Returns an example of a problem for each row of the error table, by the name of the row. */
export const problemExamples = (publicUrl: string): Json =>
  Object.fromEntries(
    (Object.keys(errors) as ErrorCode[]).map((name) => {
      const { status, title, fix, code = name }: ErrorDefinition = errors[name]
      const type = `${publicUrl}/api/docs/errors#${code}`
      const problem = { type, title, status, detail: fix, code, requestId: '5f3a9c0e1b-1f' }
      return [name, { summary: title, value: problem }]
    }),
  )

/** Returns the name for a body or a response that only one operation uses, e.g. `AddServerInput`. */
export const partName = (definition: EndpointDefinition, part: 'Input' | 'Answer') =>
  operationIdOf(definition).replace(/^./, (first) => first.toUpperCase()) + part

/** Combines a success and a refusal that have the same status. Their media types differ. */
const both = (one: Response, other: Response): Response => ({
  description: `${one.description}\n\n${other.description}`,
  headers: { ...one.headers, ...other.headers },
  content: { ...one.content, ...other.content },
})

const isRedirect = (status: number) => status === 302 || status === 303

function success(definition: EndpointDefinition, status: number, response: Answer, refer: Refer): Response {
  const names: ResponseHeader[] = ['X-Request-Id']
  if (isRedirect(status)) names.push('Location')
  if (status === 503) names.push('Retry-After')
  if (definition.cookies) names.push('Set-Cookie')
  const headers = headersOf(...names)
  if (response === null) {
    return {
      description: isRedirect(status) ? 'Redirects the browser.' : 'Success, without a body.',
      headers,
    }
  }
  if ('download' in response) {
    const media = response.download.map((type) => {
      const schema = type === 'text/csv' ? { type: 'string' } : { type: 'array', items: refer(response.row) }
      return [type, { schema, example: exampleDownload(type, response.row) }] as const
    })
    return {
      description: 'A file.',
      headers: { ...headers, ...headersOf('Content-Disposition') },
      content: Object.fromEntries(media),
    }
  }
  if ('picture' in response) {
    const media = response.picture.map((type) => [type, {}] as const)
    return { description: 'A picture.', headers, content: Object.fromEntries(media) }
  }
  if ('events' in response) {
    // OpenAPI 3.1 cannot describe the events of a stream, so an extension contains their schemas.
    const stream = {
      schema: { type: 'string' },
      'x-events': response.events,
      example: exampleStream(response.events),
    }
    return { description: 'Server-Sent Events.', headers, content: { 'text/event-stream': stream } }
  }
  if (definition.asFile) Object.assign(headers, headersOf('Content-Disposition'))
  const json = { schema: refer(response, partName(definition, 'Answer')), example: exampleOf(response) }
  return { description: 'Success.', headers, content: { 'application/json': json } }
}

/** The refusals of a request that cannot be read. Every endpoint has them. */
const unreadable: readonly ErrorCode[] = ['BAD_REQUEST']

/** Lists the refusals of an operation, as its responses document them. */
export const documentedRefusals = (definition: EndpointDefinition): readonly ErrorCode[] => [
  ...refusals(definition),
  ...unreadable,
]

function refusalsByStatus(definition: EndpointDefinition): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const name of documentedRefusals(definition)) {
    const { status } = errors[name]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return byStatus
}

const headersByStatus: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

/** The header `Location`, for a status with several refusals of which only one has the header. */
const sometimes = { ...responseHeaders.Location, required: false }

function refusal({ page }: EndpointDefinition, status: number, names: readonly ErrorCode[]): Response {
  const rows = names.map((name) => {
    const { title, code = name }: ErrorDefinition = errors[name]
    return { name, title, code }
  })
  const narrowed = {
    type: 'object',
    required: ['status', 'code'],
    properties: {
      status: { type: 'integer', const: status },
      code: { type: 'string', enum: rows.map(({ code }) => code) },
    },
  }
  const problem = {
    schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] },
    examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
  }
  return {
    description: rows.map(({ code, title }) => `\`${code}\`: ${title}`).join('\n\n'),
    headers: {
      ...headersOf(
        ...(['X-Request-Id', ...(headersByStatus[status] ?? [])] as const),
        // A reverse proxy passes the header on to the browser.
        ...(names.includes('LOGIN_REQUIRED') ? (['Location'] as const) : []),
      ),
      ...(names.includes('ROLE_LACKING') ? { Location: sometimes } : {}),
    },
    content: {
      'application/problem+json': problem,
      ...(page && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}
