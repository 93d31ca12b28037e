import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIPv4 } from 'node:net'
import { ApiError } from '#platform/http/api-error'
import type { FrontRequest } from '#platform/http/front'
import { callbackOf, type Host, readHost } from './host.ts'

/** The browser's request that a reverse proxy asks about, as the proxy's `X-Forwarded-` headers describe it. */
export interface ForwardedRequest {
  /** In lower case, with the port unless it is the default port of the scheme. */
  readonly host: string
  /** The scheme and the host. It is safe to redirect to, because it comes from the proxy and was checked. */
  readonly origin: string
  readonly isSecure: boolean
  /** Path and query, in ASCII. */
  readonly uri: string
}

/**
 * Creates a function that returns true if an IP address is that of a trusted proxy. `trusted` contains addresses and
 * subnets in CIDR notation.
 */
export function createProxyCheck(trusted: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  // Results are cached, because nearly all requests come from a few addresses.
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

/** The maximum number of cached addresses, because strangers can send requests from many. */
const maxKnown = 1_000

/**
 * Reads the request that a trusted proxy asks about. Rejects repeated or ambiguous headers, which a correctly
 * configured proxy never sends. Also rejects plain HTTP, except for a local host.
 *
 * @throws PROXY_NOT_TRUSTED, FORWARDED_REQUEST_INVALID
 */
export function readForwardedRequest(
  { headers, socket }: FrontRequest,
  isTrusted: (address: string | undefined) => boolean,
): ForwardedRequest {
  if (!isTrusted(socket.remoteAddress)) throw new ApiError('PROXY_NOT_TRUSTED')
  const { host, origin, isSecure, isLocal } = readOrigin(headers)
  const sentUri = textOf(headers['x-forwarded-uri'] ?? '/')
  const uri = isPath(sentUri) ? sentUri : inAscii(sentUri)
  if (!isPath(uri)) throw invalid('uri')
  if (!isSecure && !isLocal) throw invalid('plainHttp')
  const request = { host, origin, isSecure, uri }
  const original = headers['x-original-url']
  // Proxies pass this header on as the client sent it. It must not contradict the headers of the proxy.
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
 * Matches a header of the client that an application could mistake for a header of this service, such as `Remote-User`.
 * The character after `remote` can be any except a letter or digit, because CGI and similar interfaces turn each of
 * them into `_`. A request with such a header is rejected, unless the proxy removes the header before it asks.
 */
const identityHeader = /^remote[^a-z0-9]/

/** The origin of a request, and the values of the headers that it was read from. */
interface ReadOrigin extends Host, Pick<ForwardedRequest, 'origin' | 'isSecure'> {
  readonly sentScheme: IncomingHttpHeaders[string]
  readonly sentHost: IncomingHttpHeaders[string]
}

/**
 * The origins by headers. Requests on one connection can share an object of headers. Its names never change, and most
 * requests of a proxy's connection are for one host.
 */
const origins = new WeakMap<IncomingHttpHeaders, ReadOrigin>()

function readOrigin(headers: IncomingHttpHeaders): ReadOrigin {
  const { 'x-forwarded-proto': sentScheme, 'x-forwarded-host': sentHost } = headers
  const known = origins.get(headers)
  if (known && known.sentScheme === sentScheme && known.sentHost === sentHost) return known
  for (const name in headers) if (identityHeader.test(name)) throw invalid('identityHeader')
  const scheme = schemeOf(sentScheme)
  if (!scheme) throw invalid('scheme')
  const host = readHost(textOf(sentHost), scheme)
  if (!host) throw invalid('host')
  const origin = `${scheme}://${host.host}`
  const read = { ...host, origin, isSecure: scheme === 'https', sentScheme, sentHost }
  origins.set(headers, read)
  return read
}

/**
 * The scheme of the request by `X-Forwarded-Proto`. It is a map, because an object also has names like `constructor`.
 */
const schemes: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])
const schemeOf = (value: string | string[] | undefined) => schemes.get(textOf(value).toLowerCase())

/**
 * Returns the value of a header, or an empty string. Node.js joins the values of a repeated header with a comma, so the
 * checks of the value reject it.
 */
const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** Percent-encodes bytes beyond ASCII (RFC 3986). Node.js decodes headers as Latin-1, so each character is one byte. */
const inAscii = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

const isPath = (uri: string): boolean => /^\/[\x21-\x7e]*$/.test(uri)

/** Returns true if `X-Original-URL` names the same URL as the headers of the proxy. */
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
 * Returns the path to which the browser returns after a sign-in. Any path on the same host is permitted, except those
 * of this service (`/_rolecall`). For anything else, returns `/`.
 */
export function readReturnPath(rd: string | undefined): string {
  if (rd === undefined || Buffer.byteLength(rd) > maxReturnBytes) return '/'
  const path = encodeBeyondAscii(rd)
  if (path.length > maxReturnBytes || !isPath(path) || path.includes('\\')) return '/'
  return /^\/_rolecall(\/|$)/.test(path) ? '/' : path
}

/**
 * Returns true if the return path is the sign-in itself. This happens if a proxy rewrites the redirect to the sign-in
 * into a path of its own host. This path requires a sign-in, too, so the browser would be redirected forever.
 */
export function isLoginLoop(rd: string | undefined, origin: string): boolean {
  if (!rd || !/^\/api\/auth\/(sso\/)?authorize\?/.test(rd)) return false
  return new URLSearchParams(rd.slice(rd.indexOf('?'))).get('redirect_uri') === callbackOf(origin)
}

/** The maximum length of a return path. The path becomes part of the `state`, which has a limit of its own. */
const maxReturnBytes = 2_000

const encodeBeyondAscii = (text: string) =>
  text.toWellFormed().replace(/[^\p{ASCII}]/gu, (character) => encodeURIComponent(character))
