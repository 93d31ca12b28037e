import type { ProblemDetail } from '@rolecall/contract'

/** Bytes of the problems of one answer, which leave room for the rest of it within 64 KiB. */
const maxBytes = 60 * 1024

/**
 * Cuts a list of problems to the first ones that fit into an answer of 64 KiB, however long their paths and messages are.
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
