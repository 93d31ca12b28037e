import { type ProblemDetail, redirectUriProblem } from '@rolecall/contract'

/** The maximum number of redirect URIs of a project. */
const maxUris = 20

/**
 * Reads a redirect URI or a comma-separated list. Returns the URIs, and all problems. Do not store the URIs if there
 * are problems. Valid URIs are not normalized, because `authorize` compares them byte for byte (RFC 9700 §2.1).
 */
export function readRedirectUris(text: string): { uris: string[]; problems: ProblemDetail[] } {
  const uris = [...new Set(text.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
  const problems = uris.flatMap((uri, i) => {
    const complaint = redirectUriProblem(uri)
    // The message contains the number of the entry, and not its text, which may be a secret that was entered by
    // mistake.
    return complaint ? [problem('/redirectUri', `entry ${i + 1} ${complaint}`)] : []
  })
  if (uris.length === 0) problems.push(problem('/redirectUri', 'must contain at least one URI'))
  return { uris, problems: [...problems, ...tooManyUris(uris, '/redirectUri')] }
}

/** Returns the problems of a single redirect URI. */
export function readRedirectUri(uri: string): ProblemDetail[] {
  const complaint = uri.includes(',')
    ? 'must not contain a comma. Write %2C, because commas separate URIs in a list'
    : redirectUriProblem(uri)
  return complaint ? [problem('/uri', complaint)] : []
}

/** Returns a problem if the list is too long. `path` is the place of the list in the request. */
export const tooManyUris = (uris: readonly string[], path: string): ProblemDetail[] =>
  uris.length > maxUris ? [problem(path, `must contain at most ${maxUris} URIs`)] : []

const problem = (path: string, message: string): ProblemDetail => ({ path, message, code: 'REDIRECT_URI' })
