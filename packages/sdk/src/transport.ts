import type { EndpointDefinition, EndpointInput, EndpointOutput } from '@rolecall/contract'
import { errorOf, RolecallError } from './rolecall-error.ts'

export interface TransportOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

/** One call, typed by its endpoint in the contract; nothing of the contract is there at run time. */
interface Call<E extends EndpointDefinition> {
  readonly method: E['method']
  /** The endpoint's path; what stands in braces is filled from `params`. */
  readonly path: E['path']
  readonly params?: EndpointInput<E>['params']
  readonly body?: EndpointInput<E>['body']
  readonly headers: Record<string, string>
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export type Transport = <E extends EndpointDefinition>(call: Call<E>) => Promise<EndpointOutput<E>>

/** Sends calls and turns whatever is not a success into a RolecallError, except the caller's own abort. */
export function createTransport(options: TransportOptions): Transport {
  return async <E extends EndpointDefinition>(call: Call<E>) => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = call.signal ? AbortSignal.any([call.signal, deadline]) : deadline
    try {
      const response = await options.fetch(options.baseUrl + fill(call.path, call.params), {
        method: call.method,
        headers: {
          accept: 'application/json',
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        // Never followed: the next address would get the credentials.
        redirect: 'manual',
        signal,
      })
      const text = await response.text()
      const body = parse(text)
      if (response.ok && (body !== undefined || text === '')) return body as EndpointOutput<E>
      throw errorOf(response, body)
    } catch (error) {
      if (error instanceof RolecallError) throw error
      call.signal?.throwIfAborted()
      throw unreachable(options.baseUrl, timeoutMs, deadline.aborted, error)
    }
  }
}

function unreachable(baseUrl: string, timeoutMs: number, isLate: boolean, cause: unknown) {
  if (isLate) {
    return new RolecallError('TIMEOUT', `${baseUrl} did not answer within ${timeoutMs} ms.`, { cause })
  }
  const { cause: inner = cause } = cause as { cause?: unknown }
  const reason = (inner as { code?: string; message?: string } | null) ?? {}
  const why = reason.code ?? reason.message ?? 'no reason given'
  return new RolecallError('NETWORK_ERROR', `${baseUrl} cannot be reached (${why}).`, { cause })
}

const fill = (path: string, params: unknown) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  )

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
