import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Grant } from './grants.ts'

/**
 * The callers of an endpoint:
 *
 * - `none`: anyone
 * - `projectKey`: a project, by `X-API-Key`
 * - `session`: a member, by session token
 * - `admin`: a System Admin, by the Bearer token of an admin session, or by the console's cookie from the same origin.
 *   An endpoint can also admit owners, and auditors may read.
 */
export type Auth = 'none' | 'projectKey' | 'session' | 'admin'

/**
 * A response with a status of 2xx or 3xx:
 *
 * - `null`: it has no JSON body
 * - a schema: it has a JSON body
 * - `download`: a file, with its media types and the schema of a row
 * - `picture`: a picture, with its media types
 * - `events`: a stream of Server-Sent Events, with the schema of each event's data
 */
export type Answer =
  | TSchema
  | null
  | { readonly download: readonly string[]; readonly row: TSchema }
  | { readonly picture: readonly string[] }
  | { readonly events: Readonly<Record<string, TSchema>> }

/**
 * One endpoint: everything that a caller can send, and everything that the service can respond. The router, the OpenAPI
 * document, and the types of the clients derive from it.
 */
export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path in the notation of OpenAPI: `/api/auth/sessions/{sessionId}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly auth: Auth
  /** The grant that the calling project needs in the server of the path. */
  readonly needs?: Grant
  /**
   * Admits project owners to an endpoint of the administration. The value is the name of the path parameter with the ID
   * of their project, or `any` if the endpoint does not concern a single project. By default, owners are refused.
   */
  readonly owners?: 'id' | 'projectId' | 'any'
  /** The body fields that an owner may send. By default, all. */
  readonly ownerFields?: readonly string[]
  /** The reason why the endpoint has no rate limit. By default, every endpoint has one, and can respond with 429. */
  readonly unlimited?: string
  /**
   * The order in which endpoints are refused with 503 while the process is overloaded or runs out of memory. By
   * default, an endpoint is among the first. Use `last` if other programs depend on the response, and `never` if the
   * response reveals the problem.
   */
  readonly refusedUnderPressure?: 'last' | 'never'
  /** True if a request changes nothing, although its method is not GET. Its body contains a query. */
  readonly isRead?: true
  /** The maximum size of the request body in bytes. Default: `defaultBodyLimit`. */
  readonly bodyLimit?: number
  /**
   * True if people open the endpoint in a browser. Refusals are then pages, unless the request accepts only JSON. With
   * `onRequest`, programs call it as often, so refusals are JSON unless the request asks for a page.
   */
  readonly page?: boolean | 'onRequest'
  /** True if the page cannot be reloaded. It then offers no choice of language, which would reload it. */
  readonly isUsedOnce?: true
  /** True if the JSON response is downloaded as a file. */
  readonly asFile?: true
  readonly params?: TSchema
  readonly query?: TSchema
  /**
   * True if it responds on hosts that a proxy protects. Its responses must not set anything that lasts for such a host.
   */
  readonly isOnOtherHosts?: true
  /** The request headers, for the documentation only. They are not validated by this schema. */
  readonly headers?: TSchema
  readonly body?: TSchema
  /** True if a request without a body counts as one with `{}`. */
  readonly bodyOptional?: boolean
  /** A JSON body that the endpoint itself reads as bytes, because it verifies the signature of exactly these bytes. */
  readonly payload?: TSchema
  /** The media types of a file in the body, such as an image. The handler receives its bytes. */
  readonly upload?: readonly string[]
  /** Cookies that the responses set or clear. */
  readonly cookies?: readonly string[]
  readonly answers: Readonly<Record<number, Answer>>
  /** The endpoint's own refusals. `refusals` adds those of its auth, body and limit. */
  readonly refuses: readonly ErrorCode[]
}

/** The default of `bodyLimit`, in bytes. It is enough for a few text fields. */
const defaultBodyLimit = 16 * 1024
/** The limit of a body that contains only credentials, in bytes. It is low, because anyone can send such a body. */
export const credentialBodyLimit = 4 * 1024
/** The maximum body size of all endpoints, in bytes. */
export const maxBodyLimit = 1024 * 1024
/** The maximum size of a `payload` in bytes, so that it is read and checked within milliseconds. */
export const maxPayloadBytes = 256 * 1024

/** Returns the maximum size of an endpoint's request body, in bytes. */
export const bodyLimitOf = ({ bodyLimit = defaultBodyLimit }: EndpointDefinition): number => bodyLimit

/** Declares an endpoint. Returns the definition with its literal types, from which clients and handlers are typed. */
export const endpoint = <const E extends EndpointDefinition>(definition: E): E => definition

type Input<E, K extends keyof EndpointDefinition> =
  E extends Record<K, infer S> ? (S extends TSchema ? Static<S> : undefined) : undefined

/** A file that a client sent as the body. */
export interface Upload {
  /** One of the media types that the endpoint declares. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** The input of a call: its params, query, and body, typed by their schemas. */
export interface EndpointInput<E extends EndpointDefinition> {
  params: Input<E, 'params'>
  query: Input<E, 'query'>
  body: E extends { readonly upload: readonly string[] } ? Upload : Input<E, 'body'>
}

/** The JSON body of the success response, or undefined if there is none. */
export type EndpointOutput<E extends EndpointDefinition> = {
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers without a body just returns
  [S in keyof E['answers']]: E['answers'][S] extends TSchema ? Static<E['answers'][S]> : undefined | void
}[keyof E['answers']]

const byAuth: Record<Auth, readonly ErrorCode[]> = {
  none: [],
  projectKey: ['INVALID_API_KEY', 'PROJECT_INACTIVE'],
  session: ['INVALID_TOKEN', 'CROSS_SITE_REQUEST'],
  admin: ['INVALID_TOKEN', 'NOT_SYSTEM_ADMIN', 'CROSS_SITE_REQUEST', 'CHAT_PLATFORM_UNAVAILABLE'],
}

/** Lists all refusals of an endpoint: its own, and those that follow from its declaration. */
export function refusals(definition: EndpointDefinition): ErrorCode[] {
  const codes = new Set<ErrorCode>([...byAuth[definition.auth], ...definition.refuses])
  // Endpoints with another method than GET reject unknown keys of the query, even if they declare no query.
  if (definition.params || definition.query || definition.method !== 'GET') codes.add('VALIDATION_FAILED')
  if (definition.body) codes.add('MALFORMED_JSON').add('UNSUPPORTED_MEDIA_TYPE')
  if (definition.upload) codes.add('UPLOAD_TYPE_UNSUPPORTED')
  // A client may send a body even to an endpoint that declares none.
  if (definition.method !== 'GET') codes.add('PAYLOAD_TOO_LARGE')
  if (definition.unlimited === undefined) codes.add('RATE_LIMITED')
  if (definition.refusedUnderPressure !== 'never') codes.add('SERVICE_OVERLOADED')
  return [...codes.add('DATABASE_UNAVAILABLE')]
}
