import { BlockList, isIPv4 } from 'node:net'
import { ApiError } from '#platform/http/api-error'
import type { Asked } from '#platform/http/front'
import { callbackOf, readHost } from './host.ts'

/** The request that a reverse proxy asks about, as its headers describe it. */
export interface ForwardedRequest {
  readonly host: string
  /** Contains the host as the browser sent it; no other client wrote any part of it. */
  readonly origin: string
  readonly isSecure: boolean
  /** Path and query, in ASCII. */
  readonly uri: string
}

/** Creates a function that returns true if the other end of a connection is a trusted proxy. */
export function createProxyCheck(trusted: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  // A few addresses send nearly all requests.
  const known = new Map<string, boolean>()
  return (address) => {
    if (address === undefined) return false
    const before = known.get(address)
    if (before !== undefined) return before
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
    const isTrusted = list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
    if (known.size >= maxKnown) known.clear()
    known.set(address, isTrusted)
    return isTrusted
  }
}

/** The maximum number of cached addresses, because strangers have many. */
const maxKnown = 1_000

/**
 * Reads the request that a trusted proxy asks about. Rejects repeated or ambiguous headers, which a correctly
 * configured proxy never sends.
 * @throws PROXY_NOT_TRUSTED, FORWARDED_REQUEST_INVALID
 */
export function readForwardedRequest(
  { headers, socket }: Asked,
  isTrusted: (address: string | undefined) => boolean,
): ForwardedRequest {
  if (!isTrusted(socket.remoteAddress)) throw new ApiError('PROXY_NOT_TRUSTED')
  for (const name in headers) if (identityHeader.test(name)) throw invalid('identityHeader')
  const scheme = schemeOf(headers['x-forwarded-proto'])
  if (!scheme) throw invalid('scheme')
  const host = readHost(textOf(headers['x-forwarded-host']), scheme)
  if (!host) throw invalid('host')
  const uri = inAscii(textOf(headers['x-forwarded-uri'] ?? '/'))
  if (!isPath(uri)) throw invalid('uri')
  if (scheme === 'http' && !host.isLocal) throw invalid('plainHttp')
  const request = { host: host.host, origin: `${scheme}://${host.host}`, isSecure: scheme === 'https', uri }
  const original = headers['x-original-url']
  // Proxies pass the client's own header on. It would select the host and so the rule.
  if (original !== undefined && !isSame(textOf(original), request)) throw invalid('original')
  return request
}

/** The causes of a refusal, in sentences for the people who configure the proxy. */
const causes = {
  identityHeader:
    'The request has a Remote-… header, or a header such as Remote_User that an application could mistake for one.',
  scheme: 'X-Forwarded-Proto is missing, repeated, or none of http, https, ws, and wss.',
  host: 'X-Forwarded-Host is missing, repeated, or not a valid host.',
  uri: 'X-Forwarded-Uri is repeated, or not a path that begins with a slash.',
  plainHttp: 'X-Forwarded-Proto must be https, because X-Forwarded-Host is not a loopback host.',
  original: 'X-Original-URL contradicts X-Forwarded-Proto, X-Forwarded-Host, or X-Forwarded-Uri.',
}

const invalid = (cause: keyof typeof causes) =>
  new ApiError('FORWARDED_REQUEST_INVALID', { detail: causes[cause] })

/**
 * Matches headers of the client that an application could mistake for those of this service, because CGI and similar
 * interfaces read every other character as `_`. A proxy either removes them before it asks, or cannot remove them.
 */
const identityHeader = /^remote[^a-z0-9]/

/** A map, because every object has a property named `constructor`. */
const schemes: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])
const schemeOf = (value: string | string[] | undefined) => schemes.get(textOf(value).toLowerCase())

/** Node.js joins the values of a repeated header with a comma, which no valid value contains. */
const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** Percent-encodes bytes beyond ASCII as in RFC 3986: headers arrive as Latin-1. */
const inAscii = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

const isPath = (uri: string): boolean => /^\/[\x21-\x7e]*$/.test(uri)

function isSame(original: string, { host, uri, isSecure }: ForwardedRequest): boolean {
  const [, scheme, written = '', rest = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/i.exec(original) ?? []
  const forwardedScheme = schemeOf(scheme)
  return (
    forwardedScheme === (isSecure ? 'https' : 'http') &&
    readHost(written, forwardedScheme)?.host === host &&
    inAscii(rest || '/') === uri
  )
}

/**
 * Reads the path to return to after a sign-in. Any path of the same host is valid. Everything else, and a path of this
 * service, becomes `/`.
 */
export function readReturnPath(rd: string | undefined): string {
  if (rd === undefined || Buffer.byteLength(rd) > maxReturnBytes) return '/'
  const path = encodeBeyondAscii(rd)
  if (path.length > maxReturnBytes || !isPath(path) || path.includes('\\')) return '/'
  return /^\/_rolecall(\/|$)/.test(path) ? '/' : path
}

/**
 * Returns true if a return path leads into the sign-in of this host itself. Then a proxy has rewritten the redirect to
 * the sign-in into a path of the host, which requires a sign-in again, and so on forever.
 */
export function isLoginLoop(rd: string | undefined, origin: string): boolean {
  if (!rd || !/^\/api\/auth\/(sso\/)?authorize\?/.test(rd)) return false
  return new URLSearchParams(rd.slice(rd.indexOf('?'))).get('redirect_uri') === callbackOf(origin)
}

/** The path becomes part of a state, which has its own length limit. */
const maxReturnBytes = 2_000

const encodeBeyondAscii = (text: string) =>
  text.toWellFormed().replace(/[^\p{ASCII}]/gu, (character) => encodeURIComponent(character))
