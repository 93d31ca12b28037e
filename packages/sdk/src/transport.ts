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

export interface TransportOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly retries: number
  readonly fetch: typeof fetch
}

/** The types of an endpoint for projects or for administrators. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly answer: unknown
}

type Part<E, Name extends string> = E extends Readonly<Record<Name, infer Value>> ? Value : undefined

/** One call, typed by its endpoint in the contract. The contract does not exist at run time. */
interface Call<E extends Endpoint> extends CallOptions {
  readonly method: E['method']
  /** The endpoint's path. `params` fills the parts in braces. */
  readonly path: E['path']
  readonly params?: Part<E, 'params'>
  readonly query?: Part<E, 'query'> & (object | undefined)
  readonly body?: Part<E, 'body'>
  /** The serialized body, if its exact bytes were signed. */
  readonly text?: string
  readonly headers: Record<string, string>
  /** True if a retry is safe: the call changes nothing, or has the same effect twice. Default false. */
  readonly isRepeatable?: boolean
}

export type Transport = <E extends Endpoint>(call: Call<E>) => Promise<E['answer']>

/** Sends calls. Turns every failure into a RolecallError, except an abort by the caller. */
export function createTransport({ baseUrl, retries, fetch, ...options }: TransportOptions): Transport {
  const sendOnce = async <E extends Endpoint>(call: Call<E>, signal: AbortSignal): Promise<E['answer']> => {
    // Sends a file unchanged.
    const { text: json, body: given }: { readonly text?: string; readonly body?: unknown } = call
    const body = json ?? (given === undefined || given instanceof Blob ? given : JSON.stringify(given))
    const response = await fetch(baseUrl + addressOfCall(call), {
      method: call.method,
      headers: {
        accept: 'application/json',
        // A file has its own type.
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
    const startedAt = performance.now()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await sendOnce(call, deadline.signal)
        } catch (reason) {
          signal?.throwIfAborted()
          const error = asRolecallError(reason, baseUrl, deadline.isOver() ? timeoutMs : undefined)
          if (!isRepeatable || attempt >= retries) throw error
          const elapsedMs = performance.now() - startedAt
          const pauseMs = pauseBeforeRetry(error, attempt, elapsedMs)
          // The error of the last attempt says more than a timeout.
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

function asRolecallError(reason: unknown, baseUrl: string, timeoutMs: number | undefined): RolecallError {
  if (reason instanceof RolecallError) return reason
  if (timeoutMs !== undefined) {
    const detail = `${baseUrl} did not respond within ${timeoutMs} ms.`
    return new RolecallError('TIMEOUT', detail, { cause: reason })
  }
  return networkError(baseUrl, reason)
}

/** Returns the error for a missing response, with its `reason`. */
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

/** @throws TypeError for an ID that would lead to another path */
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

/** Returns the header that authenticates with a member's session token. */
export const asMember = (token: string) => ({ authorization: `Bearer ${headerSafe(token)}` })

/**
 * Removes characters that no header may contain, because values from browsers are passed on and must not fail a call.
 */
export const headerSafe = (value: string) => value.replace(/[^\x20-\x7e\x80-\xff]/g, '')
