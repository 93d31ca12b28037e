import { type ProblemDetail, redirectUriProblem } from '@rolecall/contract'

const maxUris = 20

/**
 * Reads one URI or a comma-separated list. One bad entry rejects the whole list, and all problems are returned.
 * Valid URIs are stored unchanged, because `authorize` compares them byte for byte (RFC 9700 §2.1).
 */
export function readRedirectUris(text: string): { uris: string[]; problems: ProblemDetail[] } {
  const uris = [...new Set(text.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
  const problems = uris.flatMap((uri, i) => {
    const complaint = redirectUriProblem(uri)
    // The message contains the number of the entry and not its text, which may be a secret from the wrong field.
    return complaint ? [problem('/redirectUri', `entry ${i + 1} ${complaint}`)] : []
  })
  if (uris.length === 0) problems.push(problem('/redirectUri', 'must contain at least one URI'))
  return { uris, problems: [...problems, ...tooManyUris(uris, '/redirectUri')] }
}

/** Returns the problem of a single URI, or an empty list. */
export function readRedirectUri(uri: string): ProblemDetail[] {
  const complaint = uri.includes(',')
    ? 'must not contain a comma. Write %2C, because commas separate URIs in a list'
    : redirectUriProblem(uri)
  return complaint ? [problem('/uri', complaint)] : []
}

/** Returns the problem of a list that is too long, or an empty list. */
export const tooManyUris = (uris: readonly string[], path: string): ProblemDetail[] =>
  uris.length > maxUris ? [problem(path, `must contain at most ${maxUris} URIs`)] : []

const problem = (path: string, message: string): ProblemDetail => ({ path, message, code: 'REDIRECT_URI' })
