import { type AdminEndpoints, adminAddresses, type Download, type Stream } from './admin-types.ts'
import { addressOf } from './connection.ts'
import { requiredText } from './required.ts'
import { addressOfCall, asMember, type CallOptions, createTransport } from './transport.ts'

// `@rolecall/sdk/admin`: what System Admins, auditors and owners of projects do, typed by the contract.

export type * from './admin-types.ts'
export type { ProblemDetail } from './contract-types.ts'
export { RolecallError, type RolecallErrorCode } from './rolecall-error.ts'

type Names<Kind> = {
  [Name in keyof AdminEndpoints]: AdminEndpoints[Name]['answer'] extends Kind ? Name : never
}[keyof AdminEndpoints]

/** Endpoints whose answer is a file: `address` names it. */
export type AdminFile = Names<Download>
/** Endpoints whose answer does not end. */
export type AdminStream = Names<Stream<object>>
/** Endpoints that are asked and answer. */
export type AdminQuestion = Exclude<keyof AdminEndpoints, AdminFile | AdminStream>
export type AdminAnswer<Name extends keyof AdminEndpoints> = AdminEndpoints[Name]['answer']

type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined }
/** A part that has nothing which must be said may be left out. */
type Given<Kind extends string, Value> =
  Record<string, never> extends Value
    ? { readonly [K in Kind]?: Loose<Value> | undefined }
    : { readonly [K in Kind]: Value }

type PartOf<Name extends keyof AdminEndpoints, Kind extends string> = Kind extends keyof AdminEndpoints[Name]
  ? Given<Kind, NonNullable<AdminEndpoints[Name][Kind]>>
  : { readonly [K in Kind]?: undefined }

/** What an endpoint is asked with: its path, query and body, as far as it has them. */
export type AdminInput<Name extends keyof AdminEndpoints> = PartOf<Name, 'params'> &
  PartOf<Name, 'query'> &
  PartOf<Name, 'body'>

type Maybe<Input> = Record<string, never> extends Input ? [input?: Input] : [input: Input]

/** Options of `createAdmin`. */
export interface AdminOptions {
  /** Address of the service; empty on its own pages, where the browser's cookie says who asks. */
  readonly baseUrl: string
  /** The token of an admin session, outside of its pages. */
  readonly token?: string
  /** Milliseconds that a call may take; 10,000 by default. */
  readonly timeoutMs?: number
  /** The `fetch` to use instead of the global one. */
  readonly fetch?: typeof fetch
}

/** The administration of one Rolecall. */
export interface Admin {
  /**
   * Asks one endpoint, by its name in the pages of the API. Rejects with a `RolecallError` when it is refused or does not
   * get through. Nothing is tried twice: who asks knows best.
   *
   * @example
   * const { data } = await admin.ask('listProjects', { query: { name: 'wiki' } })
   */
  ask<Name extends AdminQuestion>(
    name: Name,
    ...rest: [...Maybe<AdminInput<Name>>, options?: CallOptions]
  ): Promise<AdminAnswer<Name>>
  /**
   * The address of a file or a stream, for a link of a browser that is logged in.
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
 * A connection to the administration.
 *
 * @example
 * const admin = createAdmin({ baseUrl: 'https://rolecall.example', token })
 * @throws TypeError that names what is missing, or is no address.
 */
export function createAdmin({ baseUrl, token, timeoutMs = 10_000, fetch: given }: AdminOptions): Admin {
  if (baseUrl !== '' || token !== undefined) requiredText({ baseUrl })
  const base = baseUrl === '' ? '' : addressOf(baseUrl)
  const call = given ?? globalThis.fetch
  const send = createTransport({
    ...{ baseUrl: base, timeoutMs, retries: 0 },
    // Called without a receiver: browsers refuse a `fetch` that is called as a method.
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
    // The generated types say what each endpoint takes and answers; nothing of them is there at run time.
    ask: ask as Admin['ask'],
    address: (name, input: AnyInput = {}) => base + addressOfCall({ ...adminAddresses[name], ...input }),
  }
}
