import { BlockList, isIPv4 } from 'node:net'
import { ApiError } from '#platform/http/api-error'
import type { Asked } from '#platform/http/front'
import { callbackOf, readHost } from './host.ts'

/** What a reverse proxy says of the request that it asks about. */
export interface ForwardedRequest {
  readonly host: string
  /** With the host as the browser has it: nothing of it was written by anybody else. */
  readonly origin: string
  readonly isSecure: boolean
  /** Path and query, in ASCII. */
  readonly uri: string
}

/** Tells whether the other end of a connection is a proxy that may be believed. */
export function createProxyCheck(trusted: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  // The same few ask each time.
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

/** Strangers have many addresses. */
const maxKnown = 1_000

/**
 * Reads the request that a trusted proxy asks about. Whatever is doubled, or could mean two things, is refused: a proxy that
 * sets its headers sends none of it.
 * @throws PROXY_NOT_TRUSTED, FORWARDED_REQUEST_INVALID
 */
export function readForwardedRequest(
  { headers, socket }: Asked,
  isTrusted: (address: string | undefined) => boolean,
): ForwardedRequest {
  if (!isTrusted(socket.remoteAddress)) throw new ApiError('PROXY_NOT_TRUSTED')
  for (const name in headers) if (saysWho.test(name)) throw new ApiError('FORWARDED_REQUEST_INVALID')
  const scheme = schemeOf(headers['x-forwarded-proto'])
  const host = scheme && readHost(textOf(headers['x-forwarded-host']), scheme)
  const uri = inAscii(textOf(headers['x-forwarded-uri'] ?? '/'))
  if (!scheme || !host || !isPath(uri)) throw new ApiError('FORWARDED_REQUEST_INVALID')
  if (scheme === 'http' && !host.isLocal) throw new ApiError('FORWARDED_REQUEST_INVALID')
  const request = { host: host.host, origin: `${scheme}://${host.host}`, isSecure: scheme === 'https', uri }
  const original = headers['x-original-url']
  // No proxy takes a client's own away: it would name the host whose rule is looked up.
  if (original !== undefined && !isSame(textOf(original), request))
    throw new ApiError('FORWARDED_REQUEST_INVALID')
  return request
}

/**
 * Headers of the client that an application could take for ours: CGI and its like read every sign as `_`. A proxy removes
 * them before it asks, or cannot remove them at all.
 */
const saysWho = /^remote[^a-z0-9]/

/** Not an object: `constructor` is a name that every object has. */
const schemes: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])
const schemeOf = (value: string | string[] | undefined) => schemes.get(textOf(value).toLowerCase())

/** Node.js joins a header that was sent twice by a comma, which no value here has. */
const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** Headers arrive as Latin-1: beyond ASCII each byte is written as RFC 3986 does. */
const inAscii = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

const isPath = (uri: string): boolean => /^\/[\x21-\x7e]*$/.test(uri)

function isSame(original: string, { host, uri, isSecure }: ForwardedRequest): boolean {
  const [, scheme, written = '', rest = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/i.exec(original) ?? []
  const said = schemeOf(scheme)
  return (
    said === (isSecure ? 'https' : 'http') &&
    readHost(written, said)?.host === host &&
    inAscii(rest || '/') === uri
  )
}

/**
 * The path to come back to after a login: one of the same host, whatever it looks like. Everything else, and what is ours,
 * is `/`.
 */
export function readReturnPath(rd: string | undefined): string {
  if (rd === undefined || Buffer.byteLength(rd) > maxReturnBytes) return '/'
  const path = encodeBeyondAscii(rd)
  if (path.length > maxReturnBytes || !isPath(path) || path.includes('\\')) return '/'
  return /^\/_rolecall(\/|$)/.test(path) ? '/' : path
}

/**
 * True when a return path leads into the login of this very host. Then a proxy has rewritten the redirect to the login into a
 * path of the host, which asks for a login again, and so on for ever.
 */
export function isLoginLoop(rd: string | undefined, origin: string): boolean {
  if (!rd || !/^\/api\/auth\/(sso\/)?authorize\?/.test(rd)) return false
  return new URLSearchParams(rd.slice(rd.indexOf('?'))).get('redirect_uri') === callbackOf(origin)
}

/** A state carries it, and has a limit of its own. */
const maxReturnBytes = 2_000

const encodeBeyondAscii = (text: string) =>
  text.toWellFormed().replace(/[^\p{ASCII}]/gu, (character) => encodeURIComponent(character))
