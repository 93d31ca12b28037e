import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Grant } from './grants.ts'

/**
 * The callers of an endpoint: anyone, a project by `X-API-Key`, a member by session token, a System Admin by admin
 * session (Bearer token or same-origin console cookie), and others that the endpoint declares.
 */
export type Auth = 'none' | 'projectKey' | 'session' | 'admin'

/**
 * A 2xx/3xx response: without a JSON body (`null`), with one (a schema), a file download (its media types, and the
 * schema of a row), a picture, or a stream of Server-Sent Events (name → schema of its data).
 */
export type Answer =
  | TSchema
  | null
  | { readonly download: readonly string[]; readonly row: TSchema }
  | { readonly picture: readonly string[] }
  | { readonly events: Readonly<Record<string, TSchema>> }

/** One endpoint: everything that a caller can send, and everything that the service can respond. */
export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path in the notation of OpenAPI: `/api/auth/sessions/{sessionId}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly auth: Auth
  /** The grant that the project needs. */
  readonly needs?: Grant
  /**
   * Admits project owners to an endpoint of the administration. Names the path parameter with their project, or is
   * `any` if the endpoint concerns only the caller. Without it owners are refused. Auditors may call every endpoint
   * that only reads.
   */
  readonly owners?: 'id' | 'projectId' | 'any'
  /** The body fields that an owner may send. By default, all. */
  readonly ownerFields?: readonly string[]
  /** The reason for which the endpoint never responds with 429. By default every endpoint is limited. */
  readonly unlimited?: string
  /**
   * The order in which endpoints are refused with 503 under pressure (the process is overloaded, or runs out of
   * memory), before everything is slow. `last` if others depend on the response, `never` if the response reveals the
   * problem. By default, first.
   */
  readonly refusedUnderPressure?: 'last' | 'never'
  /** True if a request changes nothing although its method suggests it: the body contains a query. */
  readonly isRead?: true
  /** The maximum size of the request body in bytes. Default: `defaultBodyLimit`. */
  readonly bodyLimit?: number
  /**
   * True if browsers call it: refusals are readable pages unless JSON is requested. `asked` if programs call it as
   * often: then a page must be requested.
   */
  readonly page?: boolean | 'asked'
  /** True if the page cannot be reloaded, so it offers no choice of language. */
  readonly isUsedOnce?: true
  /** True if the JSON response is downloaded as a file. */
  readonly asFile?: true
  readonly params?: TSchema
  readonly query?: TSchema
  /** True if it responds on hosts that a proxy protects: no response may set anything that binds such a host. */
  readonly isOnOtherHosts?: true
  /** Documented request headers. They are read leniently, and never validated. */
  readonly headers?: TSchema
  readonly body?: TSchema
  /** True if a request without a body is equivalent to one with `{}`. */
  readonly bodyOptional?: boolean
  /** A JSON body that the endpoint reads as bytes itself: the signed bytes are those that are checked and stored. */
  readonly payload?: TSchema
  /** Media types of a file in the body, such as an image. The handler receives its bytes. */
  readonly upload?: readonly string[]
  /** Cookies that the responses set or clear. */
  readonly cookies?: readonly string[]
  readonly answers: Readonly<Record<number, Answer>>
  /** The endpoint's own refusals. `refusals` adds those of its auth, body and limit. */
  readonly refuses: readonly ErrorCode[]
}

/** Enough for a few text fields. */
const defaultBodyLimit = 16 * 1024
/** Credentials are short, and strangers may send them: such a body contains nothing else. */
export const credentialBodyLimit = 4 * 1024
/** The maximum body size of all endpoints, in bytes. */
export const maxBodyLimit = 1024 * 1024

/** Returns the maximum size of an endpoint's request body, in bytes. */
export const bodyLimitOf = ({ bodyLimit = defaultBodyLimit }: EndpointDefinition): number => bodyLimit

/** Declares an endpoint and keeps its literal types. */
export const endpoint = <const E extends EndpointDefinition>(definition: E): E => definition

type Input<E, K extends keyof EndpointDefinition> =
  E extends Record<K, infer S> ? (S extends TSchema ? Static<S> : undefined) : undefined

/** A file that a client sent as the body. */
export interface Upload {
  /** One of the media types that the endpoint declares. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** The input of a call: its params, query and body, by their schemas. */
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
  // Applies without a declared query, too: a change rejects unknown keys.
  if (definition.params || definition.query || definition.method !== 'GET') codes.add('VALIDATION_FAILED')
  if (definition.body) codes.add('MALFORMED_JSON').add('UNSUPPORTED_MEDIA_TYPE')
  if (definition.upload) codes.add('UPLOAD_TYPE_UNSUPPORTED')
  // Applies without a declared body, too: a client may send one.
  if (definition.method !== 'GET') codes.add('PAYLOAD_TOO_LARGE')
  if (definition.unlimited === undefined) codes.add('RATE_LIMITED')
  if (definition.refusedUnderPressure !== 'never') codes.add('SERVICE_OVERLOADED')
  return [...codes.add('DATABASE_UNAVAILABLE')]
}
