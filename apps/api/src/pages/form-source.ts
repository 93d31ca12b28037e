/**
 * Returns the source expression that permits a form to lead to this address, for a Content Security Policy. It is the
 * origin. It is only the scheme if that belongs to an app, or if the host is an IPv6 address, which a policy cannot
 * contain (CSP Level 3 §2.3.1).
 */
export function sourceOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol
}
