import { startDeadline } from './deadline.ts'
import { pause, pauseBeforeRetry } from './retry.ts'
import { errorOf, RolecallError } from './rolecall-error.ts'

/** Options of every call. */
export interface CallOptions {
  /** Ends the call early. It then rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal
  /** Timeout of this call in milliseconds. Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number
}

/** The settings that all calls of a client share. */
export interface TransportOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly retries: number
  readonly fetch: typeof fetch
}

/** The shape of each endpoint's types in the contract. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly answer: unknown
}

type Part<E, Name extends string> = E extends Readonly<Record<Name, infer Value>> ? Value : undefined

/** One call of an endpoint. `E` is the endpoint's type, which exists only at compile time. */
interface Call<E extends Endpoint> extends CallOptions {
  readonly method: E['method']
  /** The endpoint's path. `params` replaces the parts in braces. */
  readonly path: E['path']
  readonly params?: Part<E, 'params'>
  readonly query?: Part<E, 'query'> & (object | undefined)
  readonly body?: Part<E, 'body'>
  /** The serialized body, in place of `body`, if a signature covers its exact bytes. */
  readonly text?: string
  readonly headers: Record<string, string>
  /**
   * True if a retry is safe, because the call changes nothing, or a second call has no further effect. Default false.
   */
  readonly isRepeatable?: boolean
}

/** Sends one call and resolves to its response. */
export type Transport = <E extends Endpoint>(call: Call<E>) => Promise<E['answer']>

/**
 * Creates the function that sends all calls of a client, with their timeout and retries. It rejects with a
 * RolecallError after every failure. If the caller aborts, it rejects with the reason of the caller's signal. If the
 * arguments cannot be written as a URL or as JSON, it rejects at once with the error of that, usually a TypeError.
 */
export function createTransport({ baseUrl, retries, fetch, ...options }: TransportOptions): Transport {
  const sendOnce = async <E extends Endpoint>(
    call: Call<E>,
    { address, body }: { readonly address: string; readonly body: string | Blob | undefined },
    signal: AbortSignal,
  ): Promise<E['answer']> => {
    const response = await fetch(address, {
      method: call.method,
      headers: {
        accept: 'application/json',
        // `fetch` adds the content type of a Blob.
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body !== undefined && { body }),
      // Never follows a redirect: the next address would receive the credentials.
      redirect: 'manual',
      signal,
    })
    const text = await response.text()
    const answer = parse(text)
    if (response.ok && (answer !== undefined || text === '')) return answer as E['answer']
    throw errorOf(response, answer)
  }

  return async <E extends Endpoint>(call: Call<E>) => {
    const { signal, timeoutMs = options.timeoutMs, isRepeatable = false } = call
    const target = { address: baseUrl + addressOfCall(call), body: bodyOf(call) }
    const startedAt = performance.now()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await sendOnce(call, target, deadline.signal)
        } catch (reason) {
          signal?.throwIfAborted()
          const error = asRolecallError(reason, baseUrl, deadline.isOver() ? timeoutMs : undefined)
          if (!isRepeatable || attempt >= retries) throw error
          const elapsedMs = performance.now() - startedAt
          const pauseMs = pauseBeforeRetry(error, attempt, elapsedMs)
          // Throws at once if the retry would start after the timeout. The error of the last attempt says more than a
          // timeout would.
          if (pauseMs === undefined || elapsedMs + pauseMs >= timeoutMs) throw error
          await pause(pauseMs, deadline.signal)
          signal?.throwIfAborted()
        }
      }
    } finally {
      deadline.release()
    }
  }
}

/** Returns the body to send. A Blob is a file, and is sent as it is. */
const bodyOf = ({ text, body }: { readonly text?: string; readonly body?: unknown }) =>
  text ?? (body === undefined || body instanceof Blob ? body : JSON.stringify(body))

function asRolecallError(reason: unknown, baseUrl: string, timeoutMs: number | undefined): RolecallError {
  if (reason instanceof RolecallError) return reason
  if (timeoutMs !== undefined) {
    const detail = `${baseUrl} did not respond within ${timeoutMs} ms.`
    return new RolecallError('TIMEOUT', detail, { cause: reason })
  }
  return networkError(baseUrl, reason)
}

/** Returns the error for a request without a response. Its message names the `reason`. */
export function networkError(baseUrl: string, reason: unknown): RolecallError {
  const { cause: inner = reason } = reason as { cause?: unknown }
  const { code, message } = (inner as { code?: string; message?: string } | null) ?? {}
  const why = code ?? message ?? 'no reason given'
  return new RolecallError('NETWORK_ERROR', `${baseUrl} cannot be reached (${why}).`, { cause: reason })
}

/** Returns the path and query of an endpoint, relative to the service's base URL. */
export const addressOfCall = ({ path, params, query }: Addressed): string =>
  fill(path, params) + queryOf(query)

interface Addressed {
  readonly path: string
  readonly params?: unknown
  readonly query?: object | undefined
}

/**
 * Fills the braces of a path. `encodeURIComponent` does not change `.` and `..`, which would lead to another path.
 *
 * @throws TypeError for such a value
 */
const fill = (path: string, params: unknown) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, string>)[name] ?? ''
    if (value === '.' || value === '..') throw new TypeError(`${name} is not a valid ID.`)
    return encodeURIComponent(value)
  })

function queryOf(query: object | undefined): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) fields.set(name, String(value))
  }
  const text = String(fields)
  return text && `?${text}`
}

/** Parses a body, or returns undefined if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the header that authenticates a call with a member's session token. */
export const asMember = (token: string) => ({ authorization: `Bearer ${headerSafe(token)}` })

/**
 * Removes the characters that a header must not contain. Some headers repeat values from browsers, such as a user
 * agent, and no such value may make `fetch` throw.
 */
export const headerSafe = (value: string) => value.replace(/[^\x20-\x7e\x80-\xff]/g, '')
