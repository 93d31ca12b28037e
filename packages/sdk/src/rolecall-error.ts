import type { ErrorStatuses, ProblemDetail } from './contract-types.ts'

/** The failures that no response of the service describes, with the type of their HTTP status. */
interface TransportStatuses {
  /** The service cannot be reached, or the connection failed. */
  readonly NETWORK_ERROR: undefined
  /** The service sent no response in time. */
  readonly TIMEOUT: undefined
  /** The response is not one of the service. It may come from a proxy, for example. */
  readonly UNEXPECTED_RESPONSE: number
}

type Statuses = ErrorStatuses & TransportStatuses

/** The codes of failed calls: the service's error codes, and three for failures on the way to the service. */
export type RolecallErrorCode = keyof Statuses

interface Failed<Code extends RolecallErrorCode> extends Error {
  readonly name: 'RolecallError'
  /** Stable code, for `switch` statements. A newer service may send codes that this version does not list. */
  readonly code: Code
  /** HTTP status of the response. Undefined without a response. */
  readonly status: Statuses[Code]
  /** The problem and its fix, in words for the developer. */
  readonly detail: string
  /** The service's ID of the request. Quote it when you contact an operator. */
  readonly requestId: string | undefined
  /**
   * The invalid fields, for `VALIDATION_FAILED` and `PAYLOAD_INVALID`. If there are many, only the first ones; see
   * `moreErrors`.
   */
  readonly errors: readonly ProblemDetail[]
  /** The number of further problems that `errors` does not list. */
  readonly moreErrors: number
  /** The number of seconds after which to retry, if the response names it. Usual for 429 and 503. */
  readonly retryAfterSec: number | undefined
}

/**
 * The error of a failed call. A check of `code` narrows the type. Contains neither the API key nor a token, so you can
 * log it.
 *
 * @example
 * try {
 *   await rolecall.exchange({ clientId, code, redirectUri, codeVerifier })
 * } catch (error) {
 *   if (error instanceof RolecallError && error.code === 'INVALID_CODE') return startAgain()
 *   throw error
 * }
 */
export type RolecallError = { [Code in RolecallErrorCode]: Failed<Code> }[RolecallErrorCode]

interface Details {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: readonly ProblemDetail[] | undefined
  readonly moreErrors?: number | undefined
  readonly retryAfterSec?: number | undefined
  readonly cause?: unknown
}

/**
 * Marks the errors of this package. A framework may load the package several times into a process, and `instanceof`
 * must accept the errors of every copy.
 */
const mark = Symbol.for('rolecall.error')

class RolecallFailure extends Error {
  override readonly name = 'RolecallError'
  readonly [mark] = true
  readonly code: RolecallErrorCode
  readonly status: number | undefined
  readonly detail: string
  readonly requestId: string | undefined
  readonly errors: readonly ProblemDetail[]
  readonly moreErrors: number
  readonly retryAfterSec: number | undefined

  constructor(code: RolecallErrorCode, detail: string, details: Details = {}) {
    const { status, requestId, errors = [], moreErrors = 0, retryAfterSec, cause } = details
    const problems = errors.map(({ path, message }) => ` ${path} ${message}.`).join('')
    const more = moreErrors > 0 ? ` And ${moreErrors} more.` : ''
    super(`${code}: ${detail}${problems}${more}`, { cause })
    this.code = code
    this.status = status
    this.detail = detail
    this.requestId = requestId
    this.errors = errors
    this.moreErrors = moreErrors
    this.retryAfterSec = retryAfterSec
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && mark in value
  }
}

interface RolecallErrorConstructor {
  new (code: RolecallErrorCode, detail: string, details?: Details): RolecallError
  readonly prototype: RolecallError
  [Symbol.hasInstance](value: unknown): value is RolecallError
}

// The compiler cannot verify that a code has its status. The service's table of errors guarantees that.
export const RolecallError = RolecallFailure as unknown as RolecallErrorConstructor

/**
 * Converts a failed response to an error. If the body is not problem JSON, another server on the way has sent it, and
 * the code is `UNEXPECTED_RESPONSE`.
 */
export function errorOf(response: Response, body: unknown): RolecallError {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterSec = secondsOf(headers.get('retry-after'))
  if (!isProblem(body)) {
    const type = headers.get('content-type') ?? 'no content type'
    const detail = `The response was ${status} with ${type}, which is not a response of Rolecall. Check baseUrl.`
    return new RolecallError('UNEXPECTED_RESPONSE', detail, { status, requestId, retryAfterSec })
  }
  const detail = body.title === undefined ? body.detail : `${body.title} ${body.detail}`
  return new RolecallError(body.code as RolecallErrorCode, detail, {
    status,
    requestId: body.requestId,
    errors: Array.isArray(body.errors) ? body.errors : [],
    ...(body.more !== undefined && { moreErrors: body.more }),
    retryAfterSec,
  })
}

/** Parses `Retry-After` (RFC 9110 §10.2.3), which is a number of seconds or a date. Many proxies send a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/**
 * The fields of problem JSON that the client reads. Each may be missing, because a proxy may have sent the response.
 */
interface Readable {
  readonly code: string
  readonly detail: string
  readonly title?: string
  readonly requestId?: string
  readonly errors?: readonly ProblemDetail[]
  readonly more?: number
}

const isProblem = (body: unknown): body is Readable =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'detail' in body &&
  typeof body.detail === 'string'
