import { isLoopbackHost } from '#platform/loopback'
import { isReachableLiteral, type Reach } from '#platform/outbound/reach'
import { parseUrl } from '#platform/parse-url'
import type { Config } from '../../config.ts'

export type OutgoingTerms = Pick<Config, 'production' | 'allowPrivateEventUrls'>

/** Returns the addresses that the service may post to. */
export const reachOf = ({ production, allowPrivateEventUrls }: OutgoingTerms): Omit<Reach, 'resolve'> => ({
  allowPrivate: allowPrivateEventUrls,
  allowLoopbackHosts: !production,
})

/**
 * Normalizes an address of a project's choice that the service posts to; returns undefined if it is not allowed. Host
 * names are resolved when something is sent: their current addresses may differ from those.
 */
export function readOutgoingUrl(text: string, config: OutgoingTerms): string | undefined {
  // Rejects text that a URL parser would silently drop or change.
  const isPlain = /^https?:\/\/[^/]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text)
  const url = isPlain ? parseUrl(text) : undefined
  if (!url) return undefined
  const reach = reachOf(config)
  const isOwnMachine = reach.allowLoopbackHosts && isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwnMachine)) return undefined
  if (url.username || url.password || url.hash || text.includes('#') || /^[a-z]+:\/\/[^/?]*@/i.test(text))
    return undefined
  // Lower ports belong to services of a machine, which may misinterpret a request.
  if (url.port !== '' && Number(url.port) < 1024) return undefined
  if (!isReachableLiteral(url, reach)) return undefined
  if (!isOwnMachine && !reach.allowPrivate && isLocalName(url.hostname)) return undefined
  return url.href
}

/**
 * Returns true for a name without a dot, with a dot at its end, or under `localhost`: these never exist on the
 * internet.
 */
const isLocalName = (hostname: string) =>
  !hostname.startsWith('[') && (!hostname.includes('.') || /(^|\.)localhost$|\.$/.test(hostname))

/** Returns the problem with an outgoing address, or undefined. */
export const complaintAboutOutgoing = (
  text: string | null | undefined,
  config: OutgoingTerms,
): string | undefined =>
  typeof text !== 'string' || readOutgoingUrl(text, config) !== undefined
    ? undefined
    : 'must be an https URL of a public host, with port 443 or at least 1024, without a user name, password, or fragment'
