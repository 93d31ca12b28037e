import type { ProblemDetail } from '@rolecall/contract'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'

const maxUris = 20
const maxUriLength = 2048
const privateUseScheme = /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]*:$/

/**
 * Reads one URI or a comma-separated list. One bad entry refuses the whole list, with every problem named.
 * What passes is kept byte for byte: authorize compares it so (RFC 9700 §2.1).
 */
export function readRedirectUris(text: string): { uris: string[]; problems: ProblemDetail[] } {
  const uris = [...new Set(text.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
  // By number, never by text: what is pasted into the wrong field may be a secret.
  const complaints = uris.flatMap((uri, i) => {
    const complaint = complaintAbout(uri)
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
  return complaintAbout(written) ? undefined : written
}

/** What is wrong with a redirect URI, or undefined (RFC 9700 §2.1, RFC 8252 §7). */
function complaintAbout(uri: string): string | undefined {
  if (uri.length > maxUriLength) return `is longer than ${maxUriLength} characters`
  // Whatever a URL parser would quietly drop or turn must not be in what is compared byte for byte.
  const url = /[\s\\\p{Cc}]/u.test(uri) ? undefined : parseUrl(uri)
  if (!url) return 'is not an absolute URI'
  // A Location header is ASCII (RFC 9110 §5.5), and a URI is by definition (RFC 3986 §2).
  if (/[^\x21-\x7e]/.test(uri)) return 'must be ASCII: the host in punycode, the rest percent-encoded'
  if (/^[a-z+.-]+:\/\/[^/?]*%/i.test(uri)) return 'must have its host in punycode, not percent-encoded'
  if (uri.includes('#')) return 'must not have a fragment'
  if (url.username || url.password || /^[a-z+.-]+:\/\/[^/?]*@/i.test(uri)) return 'must not have a user'
  if (uri.includes('*')) return 'must not have a wildcard'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname) ? undefined : 'must be https'
  return privateUseScheme.test(url.protocol) ? undefined : 'must be https, or a private-use scheme with a dot'
}
