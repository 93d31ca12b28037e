import { isLoopbackHost } from '#platform/loopback'
import { isReachableLiteral, type Reach } from '#platform/outbound/reach'
import { parseUrl } from '#platform/parse-url'
import type { Config } from '../../config.ts'

/** The configuration that decides which addresses the service may send requests to. */
export type OutgoingTerms = Pick<Config, 'production' | 'allowPrivateEventUrls'>

/** Returns which kinds of addresses the service may send requests to. */
export const reachOf = ({ production, allowPrivateEventUrls }: OutgoingTerms): Omit<Reach, 'resolve'> => ({
  allowPrivate: allowPrivateEventUrls,
  allowLoopbackHosts: !production,
})

/**
 * Returns the normal form of an address that a project has chosen and that the service sends requests to. Returns
 * undefined if the address is not permitted. The IP addresses of a host name are checked only when a request is sent,
 * because they can change.
 */
export function readOutgoingUrl(text: string, config: OutgoingTerms): string | undefined {
  // Text that a URL parser would silently drop or change is rejected.
  const isPlain = /^https?:\/\/[^/]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text)
  const url = isPlain ? parseUrl(text) : undefined
  if (!url) return undefined
  const reach = reachOf(config)
  const isOwnMachine = reach.allowLoopbackHosts && isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwnMachine)) return undefined
  if (url.username || url.password || url.hash || text.includes('#') || /^[a-z]+:\/\/[^/?]*@/i.test(text))
    return undefined
  // Lower ports belong to other services of a machine, such as mail, which could misinterpret a request.
  if (url.port !== '' && Number(url.port) < 1024) return undefined
  if (!isReachableLiteral(url, reach)) return undefined
  if (!isOwnMachine && !reach.allowPrivate && isLocalName(url.hostname)) return undefined
  return url.href
}

/**
 * Returns true for a host name without a dot, with a dot at its end, or under `localhost`. Such names can only be
 * local.
 */
const isLocalName = (hostname: string) =>
  !hostname.startsWith('[') && (!hostname.includes('.') || /(^|\.)localhost$|\.$/.test(hostname))

/** Returns the problem of an outgoing address. Returns undefined if it is permitted, or if there is none. */
export const complaintAboutOutgoing = (
  text: string | null | undefined,
  config: OutgoingTerms,
): string | undefined =>
  typeof text !== 'string' || readOutgoingUrl(text, config) !== undefined
    ? undefined
    : 'must be an https URL of a public host, with port 443 or at least 1024, without a user name, password, or fragment'
