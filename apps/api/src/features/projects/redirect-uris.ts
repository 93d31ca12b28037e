import { type ProblemDetail, redirectUriProblem } from '@rolecall/contract'

const maxUris = 20

/**
 * Reads one URI or a comma-separated list. One bad entry rejects the whole list, and every problem is named.
 * Valid URIs are kept byte for byte, because authorize compares them so (RFC 9700 §2.1).
 */
export function readRedirectUris(text: string): { uris: string[]; problems: ProblemDetail[] } {
  const uris = [...new Set(text.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
  const problems = uris.flatMap((uri, i) => {
    const complaint = redirectUriProblem(uri)
    // The entry is named by its number, never by its text: a secret may have been pasted into the wrong field.
    return complaint ? [problem('/redirectUri', `entry ${i + 1} ${complaint}`)] : []
  })
  if (uris.length === 0) problems.push(problem('/redirectUri', 'must name at least one URI'))
  return { uris, problems: [...problems, ...tooManyUris(uris, '/redirectUri')] }
}

/** Returns the problem of one URI that is added by itself, or none. */
export function readRedirectUri(uri: string): ProblemDetail[] {
  const complaint = uri.includes(',')
    ? 'must not have a comma, which separates URIs in a list: write %2C'
    : redirectUriProblem(uri)
  return complaint ? [problem('/uri', complaint)] : []
}

/** Returns the problem of a list that is too long, or none. */
export const tooManyUris = (uris: readonly string[], path: string): ProblemDetail[] =>
  uris.length > maxUris ? [problem(path, `must name at most ${maxUris} URIs`)] : []

const problem = (path: string, message: string): ProblemDetail => ({ path, message, code: 'REDIRECT_URI' })
