import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Grant } from './grants.ts'

/**
 * Who may ask: anyone, a project by `X-API-Key`, a member by session token, a System Admin by
 * admin session (Bearer token or same-origin console cookie), and whom else the endpoint declares.
 */
export type Auth = 'none' | 'projectKey' | 'session' | 'admin'

/**
 * A 2xx/3xx without a JSON body (`null`), with one (a schema), a file download (media types, and what a row of it is), a picture, or a stream of
 * Server-Sent Events (name → schema of its data).
 */
export type Answer =
  | TSchema
  | null
  | { readonly download: readonly string[]; readonly row: TSchema }
  | { readonly picture: readonly string[] }
  | { readonly events: Readonly<Record<string, TSchema>> }

/** One endpoint: all that can be said to it, and all that it can answer. */
export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path as OpenAPI writes it: `/api/auth/sessions/{sessionId}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly auth: Auth
  /** What the project must have been granted for it. */
  readonly needs?: Grant
  /**
   * Of the administration: owners of a project may call it, too. The parameter of the path that names their project, or
   * `any` where it is about nobody but who asks. Without it owners are refused; auditors may call whatever only reads.
   */
  readonly owners?: 'id' | 'projectId' | 'any'
  /** The fields of the body that an owner may send; all of them where it is not said. */
  readonly ownerFields?: readonly string[]
  /** Why it never answers 429. Without a reason every endpoint does, when it is called too often. */
  readonly unlimited?: string
  /**
   * Under pressure (the process falls behind, or its memory runs out) new work is refused with 503 before
   * everything is slow: `last` where others depend on the answer, `never` where the answer is how one finds out.
   * Without it an endpoint is refused first.
   */
  readonly refusedUnderPressure?: 'last' | 'never'
  /** True where a request changes nothing, although its method may: what was asked is in the body. */
  readonly isRead?: true
  /** The longest request body, in bytes; `defaultBodyLimit` where it is not said. */
  readonly bodyLimit?: number
  /**
   * True where a browser is the caller: refusals are readable pages unless JSON is asked for. `asked` where programs call as
   * often: then a page has to be asked for.
   */
  readonly page?: boolean | 'asked'
  /** True where the page cannot be loaded again, so it offers no switch of its language. */
  readonly isUsedOnce?: true
  /** True where the JSON of its answer comes as a file. */
  readonly asFile?: true
  readonly params?: TSchema
  readonly query?: TSchema
  /** True where it answers on hosts that a proxy protects: nothing in its answers may bind such a host. */
  readonly isOnOtherHosts?: true
  /** Documented request headers; they are read leniently, never validated. */
  readonly headers?: TSchema
  readonly body?: TSchema
  /** True where a request without a body counts as one with `{}`. */
  readonly bodyOptional?: boolean
  /** A JSON body that the endpoint reads by itself, as bytes: what was signed is what is checked and kept. */
  readonly payload?: TSchema
  /** Media types of a body that is a file, such as an image. The handler gets its bytes. */
  readonly upload?: readonly string[]
  /** Cookies that its answers set or clear. */
  readonly cookies?: readonly string[]
  readonly answers: Readonly<Record<number, Answer>>
  /** The refusals of its own; those of its auth, body and limit are added by `refusals`. */
  readonly refuses: readonly ErrorCode[]
}

/** A few fields of text. */
const defaultBodyLimit = 16 * 1024
/** Credentials are short, and strangers may send them: nothing else belongs into such a body. */
export const credentialBodyLimit = 4 * 1024
/** The longest body of all. */
export const maxBodyLimit = 1024 * 1024

/** The longest request body that an endpoint takes, in bytes. */
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

/** What a caller sends: its params, query and body, by their schemas. */
export interface EndpointInput<E extends EndpointDefinition> {
  params: Input<E, 'params'>
  query: Input<E, 'query'>
  body: E extends { readonly upload: readonly string[] } ? Upload : Input<E, 'body'>
}

/** The JSON body of the success answer, or undefined where there is none. */
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

/** Every refusal of an endpoint: its own, and those that follow from its declaration. */
export function refusals(definition: EndpointDefinition): ErrorCode[] {
  const codes = new Set<ErrorCode>([...byAuth[definition.auth], ...definition.refuses])
  // Also where no query is declared: a change refuses keys that it does not know.
  if (definition.params || definition.query || definition.method !== 'GET') codes.add('VALIDATION_FAILED')
  if (definition.body) codes.add('MALFORMED_JSON').add('UNSUPPORTED_MEDIA_TYPE')
  if (definition.upload) codes.add('UPLOAD_TYPE_UNSUPPORTED')
  // Also where no body is asked for: one may be sent.
  if (definition.method !== 'GET') codes.add('PAYLOAD_TOO_LARGE')
  if (definition.unlimited === undefined) codes.add('RATE_LIMITED')
  if (definition.refusedUnderPressure !== 'never') codes.add('SERVICE_OVERLOADED')
  return [...codes.add('DATABASE_UNAVAILABLE')]
}
