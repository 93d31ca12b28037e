import { isLoopbackHost } from '#platform/loopback'

type Scheme = 'http' | 'https'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const hostAndPort = new RegExp(`^(${label}(?:\\.${label})*|\\[::1\\])(?::([1-9]\\d{0,4}))?$`)
const defaultPorts: Record<Scheme, string> = { http: '80', https: '443' }

/** Returns true for names that browsers resolve to this machine, where a cookie needs no HTTPS. */
const isLocal = (name: string) => isLoopbackHost(name) || name.endsWith('.localhost')

export interface Host {
  /** In lower case, without the default port of its scheme. */
  readonly host: string
  readonly isLocal: boolean
}

/**
 * Parses a host from a proxy or a person. Returns undefined for text that two programs could read in two ways: a
 * trailing dot, a list, a user, a port with leading zeros.
 */
export function readHost(text: string, scheme: Scheme | undefined): Host | undefined {
  const [, name, port] = hostAndPort.exec(text.toLowerCase()) ?? []
  if (name === undefined || name.length > 253 || Number(port ?? 1) > 65_535) return undefined
  const local = isLocal(name)
  const isDefault = scheme ? port === defaultPorts[scheme] : port === '443' || (local && port === '80')
  return { host: port === undefined || isDefault ? name : `${name}:${port}`, isLocal: local }
}

const callbackPath = '/_rolecall/callback'

/** Returns the redirect URIs of a host's sign-ins; for a local host, with plain HTTP too. */
export const callbacksOf = ({ host, isLocal: local }: Host): string[] =>
  (local ? (['https', 'http'] as const) : (['https'] as const)).map(
    (scheme) => `${scheme}://${host}${callbackPath}`,
  )

export const callbackOf = (origin: string) => `${origin}${callbackPath}`
