import type { Endpoints } from './contract-types.ts'
import { startDeadline } from './deadline.ts'
import { errorOf, RolecallError } from './rolecall-error.ts'

export interface TransportOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

type Endpoint = Endpoints[keyof Endpoints]
type Part<E, Name extends string> = E extends Readonly<Record<Name, infer Value>> ? Value : undefined

/** One call, typed by its endpoint in the contract; nothing of the contract is there at run time. */
interface Call<E extends Endpoint> {
  readonly method: E['method']
  /** The endpoint's path; what stands in braces is filled from `params`. */
  readonly path: E['path']
  readonly params?: Part<E, 'params'>
  readonly body?: Part<E, 'body'>
  readonly headers: Record<string, string>
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export type Transport = <E extends Endpoint>(call: Call<E>) => Promise<E['answer']>

/** Sends calls and turns whatever is not a success into a RolecallError, except the caller's own abort. */
export function createTransport(options: TransportOptions): Transport {
  return async <E extends Endpoint>(call: Call<E>) => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs
    const deadline = startDeadline(timeoutMs, call.signal)
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
        signal: deadline.signal,
      })
      const text = await response.text()
      const body = parse(text)
      if (response.ok && (body !== undefined || text === '')) return body as E['answer']
      throw errorOf(response, body)
    } catch (error) {
      if (error instanceof RolecallError) throw error
      call.signal?.throwIfAborted()
      throw unreachable(options.baseUrl, timeoutMs, deadline.isOver(), error)
    } finally {
      deadline.release()
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
