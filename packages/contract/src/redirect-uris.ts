const maxUriLength = 2048
const privateUseScheme = /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]*:$/
/** The hosts that name the same machine. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
/**
 * The part between `://` and the path. A URL parser accepts more characters there, but some of them must not appear in
 * a Content-Security-Policy, which will contain this part.
 */
const webAuthority = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:[/?]|$)/i
const httpsOnly = 'must begin with https://, except on this machine (localhost, 127.0.0.1, or [::1])'

/** Returns why a redirect URI is not valid, or undefined if it is (RFC 9700 §2.1, RFC 8252 §7). */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > maxUriLength) return `is longer than ${maxUriLength} characters`
  // URIs are compared byte for byte, so characters that a URL parser would silently drop or change are rejected.
  const url = /[\s\\\p{Cc}]/u.test(uri) ? undefined : urlOf(uri)
  if (!url) return 'must be a complete address without spaces, like https://crew.example/auth/callback'
  // A URI consists of ASCII characters (RFC 3986 §2), and so does the Location header that will contain it.
  if (/[^\x21-\x7e]/.test(uri)) return 'must be ASCII, with the host in punycode and the rest percent-encoded'
  if (/^[a-z+.-]+:\/\/[^/?]*%/i.test(uri)) return 'must have the host in punycode, not percent-encoded'
  if (uri.includes('#')) return 'must not contain a fragment (#…)'
  if (url.username || url.password || /^[a-z+.-]+:\/\/[^/?]*@/i.test(uri))
    return 'must not contain a user name (…@)'
  if (uri.includes('*'))
    return 'must not contain a wildcard. List every address, because each is compared character by character'
  if (/^https?:$/.test(url.protocol) && !webAuthority.test(uri))
    return 'must have :// and then a host of letters, digits, dots, and hyphens'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return loopback.test(url.hostname) ? undefined : httpsOnly
  return privateUseScheme.test(url.protocol)
    ? undefined
    : 'must begin with https://, or for a native app with its own scheme that contains a dot'
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
