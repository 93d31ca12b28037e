import { type ProblemDetail, redirectUriProblem } from '@rolecall/contract'
import { parseUrl } from '#platform/parse-url'

const maxUris = 20

/**
 * Reads one URI or a comma-separated list. One bad entry refuses the whole list, with every problem named.
 * What passes is kept byte for byte: authorize compares it so (RFC 9700 §2.1).
 */
export function readRedirectUris(text: string): { uris: string[]; problems: ProblemDetail[] } {
  const uris = [...new Set(text.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
  // By number, never by text: what is pasted into the wrong field may be a secret.
  const complaints = uris.flatMap((uri, i) => {
    const complaint = redirectUriProblem(uri)
    return complaint ? [`entry ${i + 1} ${complaint}`] : []
  })
  if (uris.length === 0) complaints.push('must name at least one URI')
  if (uris.length > maxUris) complaints.push(`must name at most ${maxUris} URIs`)
  return {
    uris,
    problems: complaints.map((message) => ({ path: '/redirectUri', message, code: 'REDIRECT_URI' })),
  }
}

/**
 * A URI that was stored before only ASCII was taken, with its host in punycode: what a browser makes of it anyway.
 * Undefined where that is not enough.
 */
export function inAscii(uri: string): string | undefined {
  const [, scheme = '', rest = ''] = /^(https?:\/\/)[^/?]*(.*)$/i.exec(uri) ?? []
  const url = parseUrl(uri)
  if (!url) return undefined
  const written = scheme + url.host + rest
  return redirectUriProblem(written) ? undefined : written
}
