import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isLoopbackHost } from '#platform/loopback'
import { isPublicAddress } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'

/**
 * Determines to which hosts the service may connect if a client has chosen the address. Without these rules, a client
 * could reach services in the operator's own network.
 */
export interface Reach {
  /** Also permits private addresses, for receivers in the operator's network. */
  readonly allowPrivate: boolean
  /** Permits hosts whose text is a loopback address or `localhost`. */
  readonly allowLoopbackHosts: boolean
  readonly resolve: ResolveHost
  /** Decides whether the service may connect to a resolved address. The default is `isPublicAddress`. */
  readonly isPublic?: (address: string) => boolean
}

/** Thrown if the service must not connect to the host. */
class NotReachable extends Error {}

/**
 * Returns the function that decides about the addresses of a host. Only the text of the host makes it a loopback host,
 * never the addresses that its name resolves to.
 */
function addressRule(
  hostname: string,
  { allowPrivate, allowLoopbackHosts, isPublic = isPublicAddress }: Reach,
) {
  if (allowPrivate) return () => true
  return allowLoopbackHosts && isLoopbackHost(hostname) ? isLoopbackAddress : isPublic
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/**
 * Returns false if the host is an IP address that the service must not connect to. A host name is checked later, when
 * it is resolved.
 */
export function isReachableLiteral(url: URL, reach: Omit<Reach, 'resolve'>): boolean {
  const host = bareHost(url)
  return isIP(host) === 0 || addressRule(url.hostname, { ...reach, resolve: async () => [] })(host)
}

/**
 * Creates the function with which a socket resolves its host. The socket connects only to the addresses that were
 * checked, even if the name has other addresses a moment later.
 */
export const checkedLookup =
  (url: URL, reach: Reach): LookupFunction =>
  (hostname, options, callback) => {
    const isAllowed = addressRule(url.hostname, reach)
    const connect = (found: readonly LookupAddress[]) => {
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) {
        const why =
          found.length > 0 ? 'The host name has no public address.' : 'The host name could not be resolved.'
        callback(new NotReachable(why), '')
      } else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    }
    reach.resolve(hostname).then(connect, (error: Error) => callback(error, ''))
  }

/** Returns why there was no response, as a sentence. An error of a library contributes only its code. */
export function errorText(error: unknown): string {
  if (error instanceof NotReachable) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code && /^[A-Z0-9_]{3,60}$/.test(code)
    ? `The receiver could not be reached (${code}).`
    : 'The receiver could not be reached.'
}
