import type { IncomingHttpHeaders } from 'node:http'

/** The head of a plain request: one without anything unusual (see `readPlainHead`). */
export interface PlainHead {
  /** The method and the target as sent, such as `POST /api/auth/validate`. */
  readonly target: string
  /**
   * The headers by lower-case name. None of them was sent twice. Requests whose headers have the same names can share
   * this object.
   */
  readonly headers: IncomingHttpHeaders
  /** The number of bytes of the body, or 0 if there is none. */
  readonly bodyBytes: number
}

/** The maximum size of a plain request in bytes. Node.js handles larger ones, with its own limits. */
export const maxPlainBytes = 4096

/**
 * Matches a request line, and header lines of RFC 9110 §5.5 without `obs-text`, folding, bare CR, or bare LF. Values are
 * trimmed later: a pattern that trims would take too long for a malicious value with many blanks.
 */
const plainLines =
  /^(?:GET|POST) \/[\x21-\x7e]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\x20-\x7e\t]*)*$/
const version = ' HTTP/1.1'
/** Headers that change how a request is read, or what happens to its connection. */
const unusual = [
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection',
  'http2-settings',
]
const plainLength = /^[1-9][0-9]{0,3}$/

/** The names that clients and proxies usually send. */
const usual = [
  ...['host', 'connection', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'cache-control'],
  ...['content-type', 'content-length', 'authorization', 'x-api-key', 'x-request-id', 'cookie', 'origin'],
  ...['referer', 'upgrade-insecure-requests', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
  ...['sec-fetch-user', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'via', 'x-real-ip'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-method', 'x-forwarded-port', 'x-forwarded-proto'],
  ...['x-forwarded-server', 'x-forwarded-uri', 'x-original-url'],
]
const capitalized = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
/**
 * The common spellings of header names, with their lower-case form. Reading a head takes half the time if its names need
 * no new strings. Names from requests are never added: such a string can be a part of the text of the request, and would
 * keep its credentials in memory.
 */
const usualNames: ReadonlyMap<string, string> = new Map([
  ...usual.flatMap((name) => [[name, name] as const, [capitalized(name), name] as const]),
  ['X-API-Key', 'x-api-key'],
])

/** Returns the lower-case form of a header name. */
export const usualName = (name: string): string => usualNames.get(name) ?? name.toLowerCase()

/**
 * The prototype of all headers. It has no properties, because a header may be called `__proto__`. An object without any
 * prototype would be slower to fill and to read.
 */
const noHeaders: object = Object.freeze(Object.create(null))

/**
 * Parses the head of a request, without the empty line at its end. Returns undefined for a head that is ambiguous (RFC
 * 9112) or in any way unusual: only a method, a target, headers that occur once, and the length of a body are plain.
 * Node.js parses the others.
 */
export function readPlainHead(head: string): PlainHead | undefined {
  if (!plainLines.test(head)) return undefined
  let end = head.indexOf('\r\n')
  const requestLine = end < 0 ? head : head.slice(0, end)
  const headers: Record<string, string> = Object.create(noHeaders)
  while (end >= 0) {
    const start = end + 2
    const colon = head.indexOf(':', start)
    end = head.indexOf('\r\n', colon)
    const name = head.slice(start, colon)
    const key = usualName(name)
    if (key in headers) return undefined
    headers[key] = head.slice(colon + 1, end < 0 ? head.length : end).trim()
  }
  return unusual.some((name) => name in headers) ? undefined : plainHeadOf(requestLine, headers)
}

/** Returns the head with this request line and these headers, unless the value of a header is unusual. */
export function plainHeadOf(requestLine: string, headers: IncomingHttpHeaders): PlainHead | undefined {
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  if (!host || connection.toLowerCase() !== 'keep-alive') return undefined
  const target = requestLine.slice(0, -version.length)
  if (target.startsWith('POST ') ? !plainLength.test(length ?? '') : length !== undefined) return undefined
  return { target, headers, bodyBytes: Number(length ?? 0) }
}
