import { type ErrorCode, errors, type Problem } from '@rolecall/contract'
import { DatabaseUnavailable } from '#platform/db/database'
import { ApiError } from './api-error.ts'

/** Seconds after which an outage is worth another try. */
const retryAfterSec = '2'

/** Errors of the HTTP framework and of Node's parser, by their codes. */
const frameworkErrors: Record<string, ErrorCode> = {
  FST_ERR_BAD_URL: 'BAD_REQUEST',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'URI_TOO_LONG',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ECONNRESET: 'BAD_REQUEST',
}

/** Any error as a refusal; what nobody expected becomes INTERNAL_ERROR, with the error as its cause. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('DATABASE_UNAVAILABLE', { headers: { 'retry-after': retryAfterSec }, cause: error })
  }
  const { code = '', statusCode } = error as { code?: string; statusCode?: number }
  const known = frameworkErrors[code]
  if (known) return new ApiError(known, { cause: error })
  if (code.startsWith('HPE_') || (statusCode !== undefined && statusCode >= 400 && statusCode < 500)) {
    return new ApiError('BAD_REQUEST', { cause: error })
  }
  return new ApiError('INTERNAL_ERROR', { cause: error })
}

/** The platform cannot answer: the caller may come back. */
export const chatPlatformUnavailable = (cause?: unknown) =>
  new ApiError('CHAT_PLATFORM_UNAVAILABLE', { headers: { 'retry-after': '5' }, cause })

/** RFC 9457 body of a refusal. `docs` is the address of the page that explains the codes. */
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
    ...(details.errors && { errors: [...details.errors] }),
  }
}
