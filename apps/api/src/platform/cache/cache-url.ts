import { parseUrl } from '../parse-url.ts'

/** The location of the cache: in this process, on one server, on a server that sentinels name, or in a cluster. */
export type CacheAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'server'; readonly url: string }
  | ({ readonly kind: 'sentinel'; readonly name: string; readonly db: number } & Several)
  | ({ readonly kind: 'cluster' } & Several)

/** The parts of an address with several hosts. */
interface Several {
  readonly hosts: readonly Host[]
  readonly isEncrypted: boolean
  readonly username: string | undefined
  readonly password: string | undefined
}

/** The address of one server. */
export interface Host {
  readonly host: string
  readonly port: number
}

/** The permitted forms of CACHE_URL, for error messages. */
export const cacheUrlForms =
  'memory:, redis://host:port, rediss://host:port, redis+sentinel://host,host/name or redis+cluster://host,host'

const defaultPorts = { sentinel: 26_379, cluster: 6_379 }

/** Returns true if the text is a valid CACHE_URL. */
export const isCacheUrl = (url: string): boolean => readCacheUrl(url) !== undefined

/** Parses a CACHE_URL. Returns undefined if it is invalid. */
export function readCacheUrl(url: string): CacheAddress | undefined {
  if (url === 'memory:') return { kind: 'memory' }
  const [, scheme = '', form] = /^(rediss?)(?:\+(sentinel|cluster))?:\/\//.exec(url) ?? []
  if (form === 'sentinel' || form === 'cluster') return readSeveral(url, form, scheme === 'rediss')
  const parsed = scheme ? parseUrl(url) : undefined
  if (!parsed) return undefined
  const { hostname, username, password } = parsed
  const isGood = hostname !== '' && isPercentEncoded(username) && isPercentEncoded(password)
  return isGood ? { kind: 'server', url } : undefined
}

/** Parses an address with several hosts. Such an address is not a standard URL, so `URL` cannot parse it. */
function readSeveral(
  url: string,
  kind: 'sentinel' | 'cluster',
  isEncrypted: boolean,
): CacheAddress | undefined {
  const [, user, secret, listed = '', path = ''] =
    /^[^:]+:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)(?:\/([^?#]*))?$/.exec(url) ?? []
  const hosts = listed.split(',').map((one) => readHost(one, defaultPorts[kind]))
  const isGood = isPercentEncoded(user ?? '') && isPercentEncoded(secret ?? '')
  if (!isGood || !hosts.every((one) => one !== undefined)) return undefined
  const several = { hosts, isEncrypted, username: decoded(user), password: decoded(secret) }
  if (kind === 'cluster') return path === '' ? { kind, ...several } : undefined
  const [, name, db = '0'] = /^([\w.-]+)(?:\/(\d{1,3}))?$/.exec(path) ?? []
  return name === undefined ? undefined : { kind, name, db: Number(db), ...several }
}

function readHost(text: string, defaultPort: number): Host | undefined {
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = inBrackets ?? plain
  if (host === undefined) return undefined
  const number = port === undefined ? defaultPort : Number(port)
  return number >= 1 && number <= 65_535 ? { host, port: number } : undefined
}

const decoded = (text: string | undefined) => (text ? decodeURIComponent(text) : undefined)

/**
 * Returns false if the text contains a `%` that does not begin a valid escape. `URL` accepts it, but it cannot be
 * decoded.
 */
function isPercentEncoded(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
