import { isLoopbackHost } from '#platform/loopback'

type Scheme = 'http' | 'https'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const hostAndPort = new RegExp(`^(${label}(?:\\.${label})*|\\[::1\\])(?::([1-9]\\d{0,4}))?$`)
const defaultPorts: Record<Scheme, string> = { http: '80', https: '443' }

/** Returns true for a host name that browsers resolve to their own machine. Such a host may use plain HTTP. */
const isLocal = (name: string) => isLoopbackHost(name) || name.endsWith('.localhost')

/** A host that a project protects. */
export interface Host {
  /** The name in lower case, with the port unless it is the default port. */
  readonly host: string
  /** True if browsers resolve the name to their own machine. */
  readonly isLocal: boolean
}

/**
 * Parses a host from a proxy's header or from a person. Returns undefined for anything that two programs could read
 * differently: a trailing dot, a list, a user name, or a port with leading zeros. If `scheme` is undefined, drops port
 * 443 and, for a local host, port 80.
 */
export function readHost(text: string, scheme: Scheme | undefined): Host | undefined {
  const [, name, port] = hostAndPort.exec(text.toLowerCase()) ?? []
  if (name === undefined || name.length > 253 || Number(port ?? 1) > 65_535) return undefined
  const local = isLocal(name)
  const isDefault = scheme ? port === defaultPorts[scheme] : port === '443' || (local && port === '80')
  return { host: port === undefined || isDefault ? name : `${name}:${port}`, isLocal: local }
}

const callbackPath = '/_rolecall/callback'

/** Returns the redirect URIs of a host's sign-ins. A local host has one with plain HTTP, too. */
export const callbacksOf = ({ host, isLocal: local }: Host): string[] =>
  (local ? (['https', 'http'] as const) : (['https'] as const)).map(
    (scheme) => `${scheme}://${host}${callbackPath}`,
  )

/** Returns the redirect URI of a sign-in at this origin. */
export const callbackOf = (origin: string) => `${origin}${callbackPath}`
