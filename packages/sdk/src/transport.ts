import { startDeadline } from './deadline.ts'
import { pause, pauseBeforeRetry } from './retry.ts'
import { errorOf, RolecallError } from './rolecall-error.ts'

/** Taken by every call. */
export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal
  /** Instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number
}

export interface TransportOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly retries: number
  readonly fetch: typeof fetch
}

/** What the types of an endpoint say, those of projects and those of administrators. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly answer: unknown
}

type Part<E, Name extends string> = E extends Readonly<Record<Name, infer Value>> ? Value : undefined

/** One call, typed by its endpoint in the contract; nothing of the contract is there at run time. */
interface Call<E extends Endpoint> extends CallOptions {
  readonly method: E['method']
  /** The endpoint's path; what stands in braces is filled from `params`. */
  readonly path: E['path']
  readonly params?: Part<E, 'params'>
  readonly query?: Part<E, 'query'> & (object | undefined)
  readonly body?: Part<E, 'body'>
  /** The body as it was written already, where its bytes were signed. */
  readonly text?: string
  readonly headers: Record<string, string>
  /** It may be sent again: it changes nothing, or the same once as twice. Never so where it is not said. */
  readonly isRepeatable?: boolean
}

export type Transport = <E extends Endpoint>(call: Call<E>) => Promise<E['answer']>

/** Sends calls and turns whatever is not a success into a RolecallError, except the caller's own abort. */
export function createTransport({ baseUrl, retries, fetch, ...options }: TransportOptions): Transport {
  const sendOnce = async <E extends Endpoint>(call: Call<E>, signal: AbortSignal): Promise<E['answer']> => {
    // A file is sent as it is.
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
      // Never followed: the next address would get the credentials.
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
          // The reason of the last try says more than that there was no time for another.
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
    const detail = `${baseUrl} did not answer within ${timeoutMs} ms.`
    return new RolecallError('TIMEOUT', detail, { cause: reason })
  }
  return networkError(baseUrl, reason)
}

/** No answer came, because of `reason`. */
export function networkError(baseUrl: string, reason: unknown): RolecallError {
  const { cause: inner = reason } = reason as { cause?: unknown }
  const { code, message } = (inner as { code?: string; message?: string } | null) ?? {}
  const why = code ?? message ?? 'no reason given'
  return new RolecallError('NETWORK_ERROR', `${baseUrl} cannot be reached (${why}).`, { cause: reason })
}

/** The address of an endpoint below the service's own. */
export const addressOfCall = ({ path, params, query }: Addressed): string =>
  fill(path, params) + queryOf(query)

interface Addressed {
  readonly path: string
  readonly params?: unknown
  readonly query?: object | undefined
}

/** @throws TypeError for an id that would be a step to another address */
const fill = (path: string, params: unknown) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, string>)[name] ?? ''
    if (value === '.' || value === '..') throw new TypeError(`${name} is no id.`)
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

/** What a body says; undefined where it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** By the session token of a member. */
export const asMember = (token: string) => ({ authorization: `Bearer ${headerSafe(token)}` })

/** What browsers send is passed on; what no header may carry is left out rather than failing a call. */
export const headerSafe = (value: string) => value.replace(/[^\x20-\x7e\x80-\xff]/g, '')
