import {
  type Answer,
  type Auth,
  type EndpointDefinition,
  type ErrorCode,
  type ErrorDefinition,
  endpoints,
  errors,
  exampleBody,
  exampleDownload,
  exampleOf,
  exampleStream,
  grants,
  operationIdOf,
  refusals,
  type Schema,
  whoElse,
} from '@rolecall/contract'
import { type Field, fileBody, listFields, wholeBody } from './fields.ts'

/** The description of an endpoint, which does not depend on the format of the page that shows it. */
export interface EndpointPage {
  /** The name of the operation in the OpenAPI document, which is also its anchor, for example `exchangeCode`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly auth: string
  readonly inputs: readonly { readonly title: string; readonly fields: readonly Field[] }[]
  readonly request: string
  readonly answers: readonly AnswerPage[]
  readonly refusals: readonly Refusal[]
}

/** The description of a response. */
export interface AnswerPage {
  readonly status: number
  /** The description of the response. It may be empty for JSON. */
  readonly text: string
  readonly fields: readonly Field[]
  readonly example: string | undefined
}

/** An error that an endpoint can return. */
export interface Refusal {
  readonly status: number
  /** The `code` in the response, which several entries of the error table can share. */
  readonly code: string
  /** The problem. */
  readonly title: string
  /** The instructions to fix the problem. */
  readonly fix: string
}

/** The endpoints of one feature. */
export interface Chapter {
  readonly tag: string
  readonly endpoints: readonly EndpointPage[]
}

const authTexts: Record<Auth, string> = {
  none: 'Anyone.',
  projectKey: 'The API key of a project, in X-API-Key.',
  session: 'The session token of a member, in Authorization: Bearer.',
  admin:
    'The session token of a System Admin, in Authorization: Bearer, or the cookie of the console on its own pages.',
}

const needText = ({ needs }: EndpointDefinition): string =>
  needs === undefined ? '' : ` The project needs the ${grants[needs].kind} \`${needs}\`.`

/**
 * Describes all endpoints of the contract, by chapter. Within a chapter, short paths come first. The methods of one
 * path are in the order of `methods`.
 */
export function describeContract(publicUrl: string): Chapter[] {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  return tags.map((tag) => ({
    tag,
    endpoints: endpoints
      .filter((one) => one.tag === tag)
      .toSorted(
        (a, b) =>
          depth(a.path) - depth(b.path) ||
          compare(a.path, b.path) ||
          methods.indexOf(a.method) - methods.indexOf(b.method),
      )
      .map((definition) => describeEndpoint(definition, publicUrl)),
  }))
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const depth = (path: string) => path.split('/').length
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function describeEndpoint(definition: EndpointDefinition, publicUrl: string): EndpointPage {
  const { method, path, summary, description, auth, params, query, headers, body, payload, upload, answers } =
    definition
  const parts = { Path: params, Query: query, Headers: headers, Body: body }
  return {
    id: operationIdOf(definition),
    method,
    path,
    summary,
    description,
    auth: [authTexts[auth], ...whoElse(definition)].join(' ') + needText(definition),
    inputs: [
      ...Object.entries(parts).map(([title, schema]) => ({ title, fields: listFields(schema) })),
      { title: 'Body', fields: payload ? [wholeBody(payload)] : upload ? [fileBody(upload)] : [] },
    ].filter(({ fields }) => fields.length > 0),
    request: curl(definition, publicUrl),
    answers: Object.entries(answers).flatMap(([status, answer]) =>
      kindsOf(answer).map((kind) => describeResponse(Number(status), kind)),
    ),
    refusals: refusals(definition)
      .map(refusalOf)
      .toSorted((a, b) => a.status - b.status),
  }
}

/** Describes an error of the table. */
export function refusalOf(name: ErrorCode): Refusal {
  const { status, title, fix, code = name }: ErrorDefinition = errors[name]
  return { status, code, title, fix }
}

/** Returns the alternatives of a response that can have several forms. */
const kindsOf = (response: Answer): readonly Answer[] =>
  response !== null && 'anyOf' in response && Array.isArray(response.anyOf) ? response.anyOf : [response]

function describeResponse(status: number, response: Answer): AnswerPage {
  const plain = (text: string) => ({ status, text, fields: [], example: undefined })
  if (response === null) return plain(status === 302 ? 'Redirects the browser.' : 'Success, without a body.')
  if ('download' in response) {
    const example = exampleDownload(response.download[0] ?? '', response.row)
    return {
      ...plain(`A file, ${response.download.join(' or ')}. Its rows have these fields:`),
      fields: listFields(response.row),
      example: `${example}`,
    }
  }
  if ('picture' in response) return plain(`A picture: ${response.picture.join(', ')}.`)
  if ('events' in response)
    return {
      ...plain(`Server-Sent Events: ${Object.keys(response.events).join(', ')}.`),
      example: exampleStream(response.events),
    }
  const example = JSON.stringify(exampleOf(response as Schema), null, 2)
  const { description: text = '' } = response as Schema
  return { status, text, fields: listFields(response), example }
}

/** Builds a `curl` command to copy. It has only the required parts, so that it is short. */
function curl(
  { method, path, auth, params, query, body, payload, upload }: EndpointDefinition,
  publicUrl: string,
): string {
  const sent: Schema | undefined = body ?? payload
  const given = (schema: unknown) =>
    Object.entries(schema ? (exampleOf(schema as Schema, { requiredOnly: true }) as object) : {})
  const filled = given(params).reduce(
    (filling, [name, value]) => filling.replace(`{${name}}`, `${value}`),
    path,
  )
  const search = given(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const address = `${publicUrl}${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    ...(auth === 'projectKey' ? ["-H 'X-API-Key: rck_…'"] : []),
    ...(auth === 'session' || auth === 'admin' ? ["-H 'Authorization: Bearer rcs_…'"] : []),
    ...(sent ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(exampleBody(sent))}'`] : []),
    ...(upload ? [`-H 'Content-Type: ${upload[0]}'`, "--data-binary '@logo.png'"] : []),
  ].join(' \\\n  ')
}
