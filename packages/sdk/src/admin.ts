import { type AdminEndpoints, adminAddresses, type Download, type Stream } from './admin-types.ts'
import { addressOf } from './connection.ts'
import { requiredText } from './required.ts'
import { addressOfCall, asMember, type CallOptions, createTransport } from './transport.ts'

// `@rolecall/sdk/admin`: the administration API for System Admins, auditors and project owners, typed by the contract.

export type * from './admin-types.ts'
export type { ProblemDetail } from './contract-types.ts'
export { RolecallError, type RolecallErrorCode } from './rolecall-error.ts'

type Names<Kind> = {
  [Name in keyof AdminEndpoints]: AdminEndpoints[Name]['answer'] extends Kind ? Name : never
}[keyof AdminEndpoints]

/** The endpoints that return a file. Pass one to `address()` to get the URL of the download. */
export type AdminFile = Names<Download>
/** The endpoints that return an endless stream of events. Pass one to `address()` to get its URL. */
export type AdminStream = Names<Stream<object>>
/** The endpoints that return JSON, or an empty response. Call them with `ask()`. */
export type AdminQuestion = Exclude<keyof AdminEndpoints, AdminFile | AdminStream>
/** The response of an endpoint. */
export type AdminAnswer<Name extends keyof AdminEndpoints> = AdminEndpoints[Name]['answer']

type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined }
/** A part of the input under its name. The part is optional if none of its fields is required. */
type Given<Kind extends string, Value> =
  Record<string, never> extends Value
    ? { readonly [K in Kind]?: Loose<Value> | undefined }
    : { readonly [K in Kind]: Value }

type PartOf<Name extends keyof AdminEndpoints, Kind extends string> = Kind extends keyof AdminEndpoints[Name]
  ? Given<Kind, NonNullable<AdminEndpoints[Name][Kind]>>
  : { readonly [K in Kind]?: undefined }

/**
 * The input of an endpoint: `params` (for its path), `query`, and `body`. Parts that the endpoint lacks are omitted.
 */
export type AdminInput<Name extends keyof AdminEndpoints> = PartOf<Name, 'params'> &
  PartOf<Name, 'query'> &
  PartOf<Name, 'body'>

type Maybe<Input> = Record<string, never> extends Input ? [input?: Input] : [input: Input]

/** Options of `createAdmin`. */
export interface AdminOptions {
  /**
   * Address of the service. On pages of the service itself, pass an empty string: calls then go to the same origin, and
   * the browser's cookie identifies the administrator.
   */
  readonly baseUrl: string
  /** Token of an admin session, for programs outside the service's own pages. */
  readonly token?: string
  /** Timeout of a call in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number
  /** The `fetch` to use instead of the global one. */
  readonly fetch?: typeof fetch
}

/** A client for the administration of one Rolecall installation. */
export interface Admin {
  /**
   * Calls an endpoint by its name in the API reference and returns its response. Rejects with a `RolecallError` if the
   * service refuses the call or does not respond in time. Never retries: the caller decides.
   *
   * @example
   * const { data } = await admin.ask('listProjects', { query: { name: 'wiki' } })
   */
  ask<Name extends AdminQuestion>(
    name: Name,
    ...rest: [...Maybe<AdminInput<Name>>, options?: CallOptions]
  ): Promise<AdminAnswer<Name>>
  /**
   * Returns the URL of a file or a stream, for a link in a browser that is signed in.
   *
   * @example
   * link.href = admin.address('exportAuditLogs', { query: { severity: 'error' } })
   */
  address<Name extends AdminFile | AdminStream>(name: Name, ...rest: Maybe<AdminInput<Name>>): string
}

interface AnyInput {
  readonly params?: unknown
  readonly query?: object
  readonly body?: unknown
}

/**
 * Creates a client for the administration.
 *
 * @example
 * const admin = createAdmin({ baseUrl: 'https://rolecall.example', token })
 *
 * @throws TypeError that names the option that is missing or is not a valid URL.
 */
export function createAdmin({ baseUrl, token, timeoutMs = 10_000, fetch: given }: AdminOptions): Admin {
  if (baseUrl !== '' || token !== undefined) requiredText({ baseUrl })
  const base = baseUrl === '' ? '' : addressOf(baseUrl)
  const call = given ?? globalThis.fetch
  const send = createTransport({
    ...{ baseUrl: base, timeoutMs, retries: 0 },
    // Calls `fetch` without a receiver: browsers reject a `fetch` that is called as a method.
    fetch: (input, init) => call(input, init),
  })
  const headers = token === undefined ? {} : asMember(token)
  const ask = (name: AdminQuestion, { params, query, body }: AnyInput = {}, options: CallOptions = {}) =>
    send<{ method: string; path: string; params: unknown; query: object; body: unknown; answer: unknown }>({
      ...adminAddresses[name],
      params,
      ...(query && { query }),
      ...(body !== undefined && { body }),
      headers,
      ...options,
    })
  return {
    // The generated types declare the input and output of each endpoint. They do not exist at run time.
    ask: ask as Admin['ask'],
    address: (name, input: AnyInput = {}) => base + addressOfCall({ ...adminAddresses[name], ...input }),
  }
}
