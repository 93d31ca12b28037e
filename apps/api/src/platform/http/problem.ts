import { type ErrorCode, errors, type Problem } from '@rolecall/contract'
import { DatabaseTakesNoWrites, DatabaseUnavailable } from '#platform/db/database'
import { ApiError } from './api-error.ts'
import { boundProblems } from './bound-problems.ts'

/** The `Retry-After` value in seconds while the database is unavailable. */
const retryAfterSec = '2'

/** The codes for errors of the framework and of the parser of Node.js. */
const frameworkErrors = new Map<unknown, ErrorCode>([
  ['FST_ERR_MAX_PARAM_LENGTH', 'URI_TOO_LONG'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'REQUEST_TIMEOUT'],
  ['HPE_HEADER_OVERFLOW', 'HEADERS_TOO_LARGE'],
])

/**
 * Converts any thrown value to an `ApiError`. An unexpected one becomes `INTERNAL_ERROR`, with the value as its cause.
 */
export function toApiError(error: unknown): ApiError {
  // Code can throw any value, such as null, or an object whose properties throw.
  try {
    if (error instanceof ApiError) return error
    if (error instanceof DatabaseUnavailable) {
      return new ApiError('DATABASE_UNAVAILABLE', {
        ...(error instanceof DatabaseTakesNoWrites && { detail: error.message }),
        headers: { 'retry-after': retryAfterSec },
        cause: error,
      })
    }
    return new ApiError(fromFramework(Object(error)) ?? 'INTERNAL_ERROR', { cause: error })
  } catch (cause) {
    return new ApiError('INTERNAL_ERROR', { cause })
  }
}

/** Returns the code for an error of the framework or of the parser, or undefined for any other error. */
function fromFramework({
  code,
  statusCode,
}: {
  code?: unknown
  statusCode?: unknown
}): ErrorCode | undefined {
  const known = frameworkErrors.get(code)
  if (known || typeof code !== 'string') return known
  const isClients = code.startsWith('FST_') && Number(statusCode) >= 400 && Number(statusCode) < 500
  return isClients || code.startsWith('HPE_') ? 'BAD_REQUEST' : undefined
}

/** Creates the error for an outage of Discord. The client may retry. `page` contains details for the refusal page. */
export const chatPlatformUnavailable = (
  cause?: unknown,
  page: Pick<ApiError['details'], 'again' | 'isOurFault'> = {},
) => new ApiError('CHAT_PLATFORM_UNAVAILABLE', { ...page, headers: { 'retry-after': '5' }, cause })

/** Returns the body of an error response (RFC 9457). `docs` is the address of the page that explains all codes. */
export function toProblem(
  { code, status, message, details }: ApiError,
  requestId: string,
  docs: string,
): Problem {
  const { title, code: wireCode = code } = errors[code] as (typeof errors)[ErrorCode] & { code?: string }
  return {
    type: `${docs}#${wireCode}`,
    title,
    status,
    detail: message,
    code: wireCode,
    requestId,
    ...(details.errors && boundProblems(details.errors)),
  }
}
