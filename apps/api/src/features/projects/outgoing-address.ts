import { isLoopbackHost } from '#platform/loopback'
import { isReachableLiteral, type Reach } from '#platform/outbound/create-post'
import { parseUrl } from '#platform/parse-url'
import type { Config } from '../../config.ts'

export type OutgoingTerms = Pick<Config, 'production' | 'allowPrivateEventUrls'>

/** What may be posted to. */
export const reachOf = ({ production, allowPrivateEventUrls }: OutgoingTerms): Omit<Reach, 'resolve'> => ({
  allowPrivate: allowPrivateEventUrls,
  allowLoopbackHosts: !production,
})

/**
 * An address of a project's choice that the service posts to, as it is stored; undefined where it may not. Names are looked up when something is
 * sent: what they mean now says nothing about then.
 */
export function readOutgoingUrl(text: string, config: OutgoingTerms): string | undefined {
  // Whatever a URL parser would quietly drop or turn.
  const isPlain = /^https?:\/\/[^/]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text)
  const url = isPlain ? parseUrl(text) : undefined
  if (!url) return undefined
  const reach = reachOf(config)
  const isOwnMachine = reach.allowLoopbackHosts && isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwnMachine)) return undefined
  if (url.username || url.password || url.hash || text.includes('#') || /^[a-z]+:\/\/[^/?]*@/i.test(text))
    return undefined
  // Below are the services of a machine, which take what looks like a request for something else.
  if (url.port !== '' && Number(url.port) < 1024) return undefined
  if (!isReachableLiteral(url, reach)) return undefined
  if (!isOwnMachine && !reach.allowPrivate && isLocalName(url.hostname)) return undefined
  return url.href
}

/** A name without a dot, with one at its end, or under `localhost`: never one of the internet. */
const isLocalName = (hostname: string) =>
  !hostname.startsWith('[') && (!hostname.includes('.') || /(^|\.)localhost$|\.$/.test(hostname))

/** What is wrong with such an address, if there is one. */
export const complaintAboutOutgoing = (
  text: string | null | undefined,
  config: OutgoingTerms,
): string | undefined =>
  typeof text !== 'string' || readOutgoingUrl(text, config) !== undefined
    ? undefined
    : 'must be https to a public host, at port 443 or from 1024 on, without user, password and fragment'
