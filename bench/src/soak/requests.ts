import { randomUUID } from 'node:crypto'
import type { Answer } from './answer.ts'
import type { SoakInstance } from './instance.ts'
import type { Random } from './random.ts'
import type { Verdicts } from './verdicts.ts'

/** The parts of a request. */
export interface Sent {
  readonly key?: string
  readonly token?: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** The index of the instance. By default, it is chosen at random. */
  readonly at?: number
}

/** The timeout in milliseconds. It is longer than any wait in the service, so only a request that hangs reaches it. */
const timeoutMs = 15_000

/**
 * Creates a client that sends each request to one of the instances. If the connection is refused, nothing was sent, so
 * the client tries the other instance, as a load balancer would. Every response is judged.
 */
export function createClient(instances: readonly SoakInstance[], random: Random, verdicts: Verdicts) {
  return async function ask(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const first = sent.at ?? random.below(instances.length)
    const requestId = randomUUID()
    const from = performance.now()
    for (let tries = 0; ; tries++) {
      const at = (first + (sent.at === undefined ? tries : 0)) % instances.length
      const url = instances[at]?.url ?? ''
      try {
        const answer = { ...(await send(url, method, path, sent, requestId)), at, requestId }
        verdicts.answered({ method, path, answer, ms: performance.now() - from })
        return answer
      } catch (error) {
        const reason = reasonOf(error)
        if (reason === 'ECONNREFUSED' && sent.at === undefined && tries < instances.length - 1) continue
        const answer = { status: 0, code: reason, body: {}, headers: new Headers(), at, requestId }
        verdicts.answered({ method, path, answer, ms: performance.now() - from })
        return answer
      }
    }
  }
}

export type Ask = ReturnType<typeof createClient>

async function send(url: string, method: string, path: string, sent: Sent, requestId: string) {
  const { key, token, body, form, headers } = sent
  const text = form
    ? new URLSearchParams(form).toString()
    : body === undefined
      ? undefined
      : JSON.stringify(body)
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      accept: 'application/json',
      'x-request-id': requestId,
      ...(key !== undefined && { 'x-api-key': key }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  })
  const answered = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const parsed: Record<string, unknown> = isJson && answered !== '' ? JSON.parse(answered) : {}
  // The service's own errors have `code`, OAuth errors have `error`, and a step of a sign-in responds with a page.
  const code = parsed['code'] ?? parsed['error'] ?? (isJson ? undefined : 'a page')
  return {
    status: response.status,
    code: typeof code === 'string' ? code : undefined,
    body: parsed,
    headers: response.headers,
  }
}

/** Returns the code of the error that caused the error of `fetch`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'TIMEOUT'
  const { cause } = error
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return 'code' in error ? String(error.code) : error.message
}
