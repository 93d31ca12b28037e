import type { ProblemDetail } from '@rolecall/contract'

/** The maximum size of the problems in a response, in bytes. With the rest, the response stays below 64 KiB. */
const maxBytes = 60 * 1024

/**
 * Shortens a list of problems to the first ones that fit into a response of 64 KiB, however long their paths and
 * messages are.
 *
 * @returns `more` is the number of omitted problems, or undefined if all fit
 */
export function boundProblems(all: readonly ProblemDetail[]): { errors: ProblemDetail[]; more?: number } {
  let bytes = 0
  const tooMany = all.findIndex((problem) => {
    bytes += Buffer.byteLength(JSON.stringify(problem)) + 1
    return bytes > maxBytes
  })
  return tooMany < 0 ? { errors: [...all] } : { errors: all.slice(0, tooMany), more: all.length - tooMany }
}
