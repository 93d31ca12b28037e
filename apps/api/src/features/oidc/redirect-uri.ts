import type { Client } from 'oidc-provider'
import { detailsOf } from './client-metadata.ts'

/** Matches a redirect URI at a loopback address, and captures the part before the port, the port, and the part after it. */
const loopback = {
  project: /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
  document: /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
} as const

/**
 * Returns whether a client may be sent to a redirect URI.
 *
 * It must equal a registered one, byte for byte (RFC 9700 §2.1). A public client may use any port of a registered loopback
 * address, because a native app gets its port from the operating system (RFC 8252 §7.3). `localhost` is compared like
 * every other name: it may resolve to another machine (RFC 8252 §8.3). It has any port only in metadata documents, because
 * programs that publish one use it, and no project can correct their list.
 */
export function isRedirectUriAllowed(client: Client, uri: string): boolean {
  const { redirectUris = [], tokenEndpointAuthMethod } = client
  if (redirectUris.includes(uri)) return true
  const pattern = loopback[detailsOf(client).kind]
  const portless = tokenEndpointAuthMethod === 'none' ? withoutPort(pattern, uri) : undefined
  return portless !== undefined && redirectUris.some((known) => withoutPort(pattern, known) === portless)
}

function withoutPort(pattern: RegExp, uri: string): string | undefined {
  const [, before, port, after] = pattern.exec(uri) ?? []
  return before === undefined || Number(port ?? 80) > 65_535 ? undefined : `${before}${after}`
}
