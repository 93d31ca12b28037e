import { type ErrorCode, errors, type ProblemDetail } from '@rolecall/contract'
import type { Brand } from './brand.ts'
import type { Notice } from './reader.ts'

interface Details {
  /** What it was this time, where the fixed title of the code says too little; what to do about it follows. */
  readonly detail?: string
  /** Everything that is wrong with the request. */
  readonly errors?: readonly ProblemDetail[]
  readonly headers?: Readonly<Record<string, string>>
  /** For the failure record and the log only; a word of a closed list, never a value that was sent. */
  readonly reason?: string
  readonly projectId?: string
  readonly keyPrefix?: string
  readonly memberId?: string
  /** Which good key it was that came to nothing. */
  readonly keyDigest?: string
  /** For the page of a refusal: its sentences, where those of the code say too little. */
  readonly notice?: Notice
  /** For the page of a refusal: the community and the site that it belongs to. */
  readonly brand?: Brand
  /** For the page of a refusal: where the browser came from, with an address only where that was checked. */
  readonly site?: { readonly name: string; readonly href?: string }
  /** For the page of a refusal: a redirect URI as it was sent, and where an owner lists it, an address of ours. */
  readonly unlisted?: { readonly redirectUri: string; readonly href?: string }
  /** For the page of a refusal: where the login is begun again, an address of ours. */
  readonly again?: string
  /** For the page of a refusal: nobody was found wanting, the person only pressed Cancel. */
  readonly isCancelled?: boolean
  /** Whom the limit counts a refusal for that came before anyone was admitted; the address, where nobody is named. */
  readonly bucket?: string
  readonly cause?: unknown
}

/** A refusal. Only code, detail, errors and headers ever reach the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Details

  constructor(code: ErrorCode, details: Details = {}) {
    const { stackTraceLimit } = Error
    // A refusal is an answer and no fault: nobody reads its stack, which costs more than all else about it.
    if (errors[code].status < 500) Error.stackTraceLimit = 0
    super(sentencesOf(code, details.detail), { cause: details.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = errors[code].status
    this.details = details
  }
}

/** What the caller reads besides the title: never the title again, and always how to mend it. */
const sentencesOf = (code: ErrorCode, detail: string | undefined) =>
  detail === undefined ? errors[code].mend : `${detail} ${errors[code].mend}`
