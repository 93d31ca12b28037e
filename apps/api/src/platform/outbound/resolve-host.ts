import { type LookupAddress, promises } from 'node:dns'

/** Resolves a name to all of its addresses. Returns an empty list if the name does not exist. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * Creates a resolver that queries the name servers of the machine. It avoids `dns.lookup`, which blocks one of four
 * threads while a name server does not answer: four such names would block all work that needs a thread.
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
