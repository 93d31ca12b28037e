import { type ErrorCode, errors, type ProblemDetail } from '@rolecall/contract'
import type { Brand } from './brand.ts'
import type { Notice } from './reader.ts'

interface Details {
  /** Names the problem more precisely than the title of the code. The response adds the fix of the code to it. */
  readonly detail?: string
  /** All problems of the input, each with its place. */
  readonly errors?: readonly ProblemDetail[]
  /** Further headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The reason for the record of failures and for the log. Must be a word from a fixed list, never a value from the
   * request.
   */
  readonly reason?: string
  readonly projectId?: string
  readonly keyPrefix?: string
  readonly memberId?: string
  /** The digest of the valid key of a request that was rejected for another reason. */
  readonly keyDigest?: string
  /** Sentences for the refusal page, if those of the code are too general. */
  readonly notice?: Notice
  /** The community and the site that the refusal page shows. */
  readonly brand?: Brand
  /** The site that the browser came from, for the refusal page. `href` is set only if the address was checked. */
  readonly site?: { readonly name: string; readonly href?: string }
  /**
   * The redirect URI that is not registered, as it was sent, for the refusal page. `href` is the console page on which
   * an owner can register it.
   */
  readonly unlisted?: { readonly redirectUri: string; readonly href?: string }
  /** The address at which the sign-in starts again, for the refusal page. */
  readonly again?: string
  /** True if the person canceled. The refusal page then does not report a failure. */
  readonly isCanceled?: boolean
  /**
   * True if Discord rejected the request of the service, e.g. because of a wrong client secret, or sent an invalid
   * response. The refusal page then does not say that Discord is down.
   */
  readonly isOurFault?: boolean
  /**
   * The rate limit bucket that counts this rejection, if the caller was not yet admitted. The default is the bucket of
   * the IP address.
   */
  readonly bucket?: string
  /** The error behind a failure of the service, for the log. */
  readonly cause?: unknown
}

/**
 * Rejects a request. Throw it anywhere while a request is handled. The client receives only the code, the detail, the
 * problems, and the headers.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Details

  constructor(code: ErrorCode, details: Details = {}) {
    const { stackTraceLimit } = Error
    // A rejected request gets no stack trace: it is never read, and creating it would cost more than the rest of the
    // response.
    if (errors[code].status < 500) Error.stackTraceLimit = 0
    super(sentencesOf(code, details.detail), { cause: details.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = errors[code].status
    this.details = details
  }
}

/** Returns the detail for the client: the specific problem if there is one, and always the fix. */
const sentencesOf = (code: ErrorCode, detail: string | undefined) =>
  detail === undefined ? errors[code].fix : `${detail} ${errors[code].fix}`
