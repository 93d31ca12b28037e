import type { ErrorStatuses, ProblemDetail } from './contract-types.ts'

/**
 * Every reason for which a call fails: the refusals of the service, and three of the way there.
 * `NETWORK_ERROR`: no answer came. `TIMEOUT`: none came in time. `UNEXPECTED_RESPONSE`: something else answered.
 */
export type RolecallErrorCode = keyof ErrorStatuses | 'NETWORK_ERROR' | 'TIMEOUT' | 'UNEXPECTED_RESPONSE'

interface Details {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: readonly ProblemDetail[] | undefined
  readonly retryAfterSec?: number | undefined
  readonly cause?: unknown
}

/**
 * Why a call failed. Never carries the API key or a token, so it may be logged as it is.
 *
 * @example
 * try {
 *   await rolecall.exchange({ clientId, code, redirectUri, codeVerifier })
 * } catch (error) {
 *   if (error instanceof RolecallError && error.code === 'INVALID_CODE') return startAgain()
 *   throw error
 * }
 */
export class RolecallError extends Error {
  override readonly name = 'RolecallError'
  /** Stable, to be switched on. A newer service may send codes that this version does not list. */
  readonly code: RolecallErrorCode
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined
  /** What is wrong and how to mend it, for the developer. */
  readonly detail: string
  /** The service's name for the request: quote it when you ask an operator. */
  readonly requestId: string | undefined
  /** Everything that is wrong with the request, with `VALIDATION_FAILED`; else empty. */
  readonly errors: readonly ProblemDetail[]
  /** Seconds after which another try is worth it, with 429 and 503. */
  readonly retryAfterSec: number | undefined

  constructor(code: RolecallErrorCode, detail: string, details: Details = {}) {
    const { status, requestId, errors = [], retryAfterSec, cause } = details
    const problems = errors.map(({ path, message }) => ` ${path} ${message}.`).join('')
    super(`${code}: ${detail}${problems}`, { cause })
    this.code = code
    this.status = status
    this.detail = detail
    this.requestId = requestId
    this.errors = errors
    this.retryAfterSec = retryAfterSec
  }
}

/** A refusal of the service as an error; what is no refusal of ours came from something else on the way. */
export function errorOf(response: Response, body: unknown): RolecallError {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterSec = Number.isFinite(retryAfter) ? retryAfter : undefined
  if (!isProblem(body)) {
    const type = headers.get('content-type') ?? 'no content type'
    const detail = `The answer was ${status} with ${type}, which is not one of Rolecall: check baseUrl.`
    return new RolecallError('UNEXPECTED_RESPONSE', detail, { status, requestId, retryAfterSec })
  }
  const detail = body.title === undefined ? body.detail : `${body.title} ${body.detail}`
  return new RolecallError(body.code as RolecallErrorCode, detail, {
    status,
    requestId: body.requestId,
    errors: body.errors,
    retryAfterSec,
  })
}

/** What is read of a problem; a proxy on the way may answer one with less than ours have. */
interface Readable {
  readonly code: string
  readonly detail: string
  readonly title?: string
  readonly requestId?: string
  readonly errors?: readonly ProblemDetail[]
}

const isProblem = (body: unknown): body is Readable =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'detail' in body &&
  typeof body.detail === 'string'
