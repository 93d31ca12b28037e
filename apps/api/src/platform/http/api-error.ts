import { type ErrorCode, errors, type ProblemDetail } from '@rolecall/contract'
import type { Brand } from './brand.ts'
import type { Notice } from './reader.ts'

interface Details {
  /** The specific problem, if the title of the code is too general. The fix follows it in the response. */
  readonly detail?: string
  /** All problems of the request. */
  readonly errors?: readonly ProblemDetail[]
  readonly headers?: Readonly<Record<string, string>>
  /** The reason for the failure record and the log. It is a word of a fixed list, never a value from the request. */
  readonly reason?: string
  readonly projectId?: string
  readonly keyPrefix?: string
  readonly memberId?: string
  /** The valid key of a request that was refused for another reason. */
  readonly keyDigest?: string
  /** The sentences of the refusal page, if those of the code are too general. */
  readonly notice?: Notice
  /** The community and the site of the refusal page. */
  readonly brand?: Brand
  /** The site that the browser came from, for the refusal page; with an address only if that was checked. */
  readonly site?: { readonly name: string; readonly href?: string }
  /**
   * The unlisted redirect URI as it was sent, for the refusal page; `href` is the page of the console on which an
   * owner adds it.
   */
  readonly unlisted?: { readonly redirectUri: string; readonly href?: string }
  /** The address at which the sign-in starts again, for the refusal page. */
  readonly again?: string
  /** True if the person pressed Cancel: the refusal page then reports no failure. */
  readonly isCanceled?: boolean
  /** The bucket that counts a refusal before the caller is admitted; the address if none is named. */
  readonly bucket?: string
  readonly cause?: unknown
}

/** Thrown to reject a request. The caller receives only the code, the detail, the errors, and the headers. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Details

  constructor(code: ErrorCode, details: Details = {}) {
    const { stackTraceLimit } = Error
    // Creates no stack for a rejected request, because it would cost more than the rest of the response and is never
    // read.
    if (errors[code].status < 500) Error.stackTraceLimit = 0
    super(sentencesOf(code, details.detail), { cause: details.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = errors[code].status
    this.details = details
  }
}

/** Returns the detail for the caller, which always contains the fix and never repeats the title. */
const sentencesOf = (code: ErrorCode, detail: string | undefined) =>
  detail === undefined ? errors[code].mend : `${detail} ${errors[code].mend}`
