import type { ErrorStatuses, ProblemDetail } from './contract-types.ts'

/** What goes wrong on the way to the service, with the HTTP status where there was an answer. */
interface TransportStatuses {
  /** No answer came. */
  readonly NETWORK_ERROR: undefined
  /** None came in time. */
  readonly TIMEOUT: undefined
  /** Something else answered. */
  readonly UNEXPECTED_RESPONSE: number
}

type Statuses = ErrorStatuses & TransportStatuses

/** Every reason for which a call fails: the refusals of the service, and three of the way there. */
export type RolecallErrorCode = keyof Statuses

interface Failed<Code extends RolecallErrorCode> extends Error {
  readonly name: 'RolecallError'
  /** Stable, to be switched on. A newer service may send codes that this version does not list. */
  readonly code: Code
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: Statuses[Code]
  /** What is wrong and how to mend it, for the developer. */
  readonly detail: string
  /** The service's name for the request: quote it when you ask an operator. */
  readonly requestId: string | undefined
  /** Problems of the request, with `VALIDATION_FAILED` and `PAYLOAD_INVALID`: the first ones where there are many. */
  readonly errors: readonly ProblemDetail[]
  /** How many more problems the service found. */
  readonly moreErrors: number
  /** Seconds after which another try is worth it, with 429 and 503. */
  readonly retryAfterSec: number | undefined
}

/**
 * Why a call failed, one type for each `code`. Never carries the API key or a token, so it may be logged as it is.
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

/** Frameworks load a package several times into one process: an error is one of ours whichever copy made it. */
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

// The compiler cannot see that code and status go together: the service's table says so.
export const RolecallError = RolecallFailure as unknown as RolecallErrorConstructor

/** A refusal of the service as an error; what is no refusal of ours came from something else on the way. */
export function errorOf(response: Response, body: unknown): RolecallError {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterSec = secondsOf(headers.get('retry-after'))
  if (!isProblem(body)) {
    const type = headers.get('content-type') ?? 'no content type'
    const detail = `The answer was ${status} with ${type}, which is not one of Rolecall: check baseUrl.`
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

/** RFC 9110 §10.2.3: seconds, or a date, which proxies like to send. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** What is read of a problem; a proxy on the way may answer one with less than ours have. */
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
