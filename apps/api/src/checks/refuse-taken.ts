import type { ErrorCode } from '@rolecall/contract'
import { violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'

interface UniqueName {
  /** The unique index. It decides, because a concurrent request can take the same value. */
  readonly index: string
  readonly code: ErrorCode
  /** The field of the request, as a JSON Pointer. */
  readonly path: string
  readonly message: string
}

/** Runs a change, and converts a violation of a unique index to an error that names the field. */
export async function refuseTaken<T>(
  { index, code, path, message }: UniqueName,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!violates(error, index)) throw error
    throw new ApiError(code, { errors: [{ path, message, code: 'TAKEN' }], cause: error })
  }
}
