import { type LookupAddress, promises } from 'node:dns'

/** Returns all addresses of a host name. The list is empty if there are none, or if the name cannot be resolved. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * Creates a resolver that queries the name servers directly. It does not use `dns.lookup`, which blocks one of four
 * threads until the name server responds. Four names without a response would block everything that needs a thread.
 */
export function createResolveHost(): ResolveHost {
  const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })
  const ask = async (addresses: Promise<string[]>, family: 4 | 6) =>
    (await addresses.catch(() => [])).map((address) => ({ address, family }))
  return async (hostname) => {
    if (hostname === 'localhost') {
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    }
    const found = await Promise.all([
      ask(resolver.resolve4(hostname), 4),
      ask(resolver.resolve6(hostname), 6),
    ])
    return found.flat()
  }
}
