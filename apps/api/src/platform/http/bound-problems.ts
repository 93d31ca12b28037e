import type { ProblemDetail } from '@rolecall/contract'

/** The maximum number of bytes of the problems in a response. The rest of the response fits into 64 KiB with them. */
const maxBytes = 60 * 1024

/**
 * Shortens a list of problems to the first entries that fit into a response of 64 KiB, regardless of the length of
 * their paths and messages.
 *
 * @returns `more` is the number of problems that were left out; undefined if all fit
 */
export function boundProblems(all: readonly ProblemDetail[]): { errors: ProblemDetail[]; more?: number } {
  let bytes = 0
  const tooMany = all.findIndex((problem) => {
    bytes += Buffer.byteLength(JSON.stringify(problem)) + 1
    return bytes > maxBytes
  })
  return tooMany < 0 ? { errors: [...all] } : { errors: all.slice(0, tooMany), more: all.length - tooMany }
}
