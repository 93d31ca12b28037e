import type { Client } from 'oidc-provider'

/** Matches a redirect URI at a loopback address, and captures the part before the port, the port, and the part after it. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/**
 * Returns whether a client may be sent to a redirect URI.
 *
 * It must equal a registered one, byte for byte (RFC 9700 §2.1). A public client may use any port of a registered loopback
 * address, because a native app gets its port from the operating system (RFC 8252 §7.3). `localhost` is compared like
 * every other name: it may resolve to another machine (RFC 8252 §8.3).
 */
export function isRedirectUriAllowed(
  { redirectUris = [], tokenEndpointAuthMethod }: Client,
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true
  const portless = tokenEndpointAuthMethod === 'none' ? withoutLoopbackPort(uri) : undefined
  return portless !== undefined && redirectUris.some((known) => withoutLoopbackPort(known) === portless)
}

function withoutLoopbackPort(uri: string): string | undefined {
  const [, before, port, after] = loopback.exec(uri) ?? []
  return before === undefined || Number(port ?? 80) > 65_535 ? undefined : `${before}${after}`
}
