/**
 * Returns the source expression for an address that a form may lead to: its origin, or its scheme where that is a scheme
 * of an app, or where the host is an IPv6 address, which a policy cannot contain (CSP Level 3 §2.3.1).
 */
export function sourceOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol
}
