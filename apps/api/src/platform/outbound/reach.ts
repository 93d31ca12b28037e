import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isLoopbackHost } from '#platform/loopback'
import { isPublicAddress } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'

/** The hosts to which the service may connect when others choose the address. */
export interface Reach {
  /** Also allows private addresses, for receivers inside the operator's network. */
  readonly allowPrivate: boolean
  /** Allows hosts that are loopback by their literal text. */
  readonly allowLoopbackHosts: boolean
  readonly resolve: ResolveHost
  /** Returns true if a resolved address may be connected to. */
  readonly isPublic?: (address: string) => boolean
}

/** Thrown if the host may not be connected to. */
class NotReachable extends Error {}

/**
 * Returns the rule for the addresses of a host. A host counts as this machine only by its literal text, never because
 * of the addresses that its name resolves to.
 */
function addressRule(
  hostname: string,
  { allowPrivate, allowLoopbackHosts, isPublic = isPublicAddress }: Reach,
) {
  if (allowPrivate) return () => true
  return allowLoopbackHosts && isLoopbackHost(hostname) ? isLoopbackAddress : isPublic
}

/** Returns the host of a URL without the brackets of IPv6. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** Returns true if a host written as an address may be connected to; a name is checked when it is resolved. */
export function isReachableLiteral(url: URL, reach: Omit<Reach, 'resolve'>): boolean {
  const host = bareHost(url)
  return isIP(host) === 0 || addressRule(url.hostname, { ...reach, resolve: async () => [] })(host)
}

/**
 * Resolves a host for the socket, which connects only to the checked addresses, even if the name changes a moment
 * later.
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

/** Returns the reason for a missing response. For an error of a library, returns only its code. */
export function errorText(error: unknown): string {
  if (error instanceof NotReachable) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code && /^[A-Z0-9_]{3,60}$/.test(code)
    ? `The receiver could not be reached (${code}).`
    : 'The receiver could not be reached.'
}
