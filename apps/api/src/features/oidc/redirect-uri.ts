import type { Client } from 'oidc-provider'
import { detailsOf } from './client-metadata.ts'

/**
 * Match a redirect URI at a loopback address, for each kind of client. The groups are the part before the port, the
 * port, and the part after it.
 */
const loopback = {
  project: /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
  document: /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
} as const

/**
 * Returns true if a browser may be redirected to this URI of a client.
 *
 * The URI must equal a registered one, byte for byte (RFC 9700 §2.1). There is one exception: a public client may use
 * any port of a registered loopback address, because a native app gets its port from the operating system (RFC 8252
 * §7.3).
 *
 * `localhost` does not count as a loopback address, because it may resolve to another machine (RFC 8252 §8.3). The
 * exception is a client with a metadata document: many of these documents contain `localhost`, and no project can
 * change them.
 */
export function isRedirectUriAllowed(client: Client, uri: string): boolean {
  const { redirectUris = [], tokenEndpointAuthMethod } = client
  if (redirectUris.includes(uri)) return true
  const pattern = loopback[detailsOf(client).kind]
  const portless = tokenEndpointAuthMethod === 'none' ? withoutPort(pattern, uri) : undefined
  return portless !== undefined && redirectUris.some((known) => withoutPort(pattern, known) === portless)
}

/** Returns a loopback URI without its port, or undefined if the URI does not match or its port is invalid. */
function withoutPort(pattern: RegExp, uri: string): string | undefined {
  const [, before, port, after] = pattern.exec(uri) ?? []
  return before === undefined || Number(port ?? 80) > 65_535 ? undefined : `${before}${after}`
}
