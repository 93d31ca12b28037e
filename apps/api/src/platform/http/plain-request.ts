import type { IncomingHttpHeaders } from 'node:http'

/** The head of a request without unusual parts. */
export interface PlainHead {
  /** Method and target, as sent: `POST /api/auth/validate`. */
  readonly target: string
  /** The headers by lower-case name. No header was repeated. */
  readonly headers: IncomingHttpHeaders
  /** The number of bytes of the body, or 0 without one. */
  readonly bodyBytes: number
}

/** The maximum size of a plain request. The parser of Node.js handles larger ones, and applies its limits. */
export const maxPlainBytes = 4096

const requestLine = /^((?:GET|POST) \/[\x21-\x7e]*) HTTP\/1\.1$/
/**
 * Matches a header line of RFC 9110 §5.5 without `obs-text`, folding, and bare CR or LF. The value is trimmed
 * afterwards, because a pattern that trims would backtrack over the blanks of a hostile value.
 */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\x20-\x7e\t]*)$/
/** Headers that change how a request is read, or how its connection continues. */
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

/**
 * Reads a head, without the empty line at its end. Returns undefined for a head that is ambiguous, or has more than a
 * method, a target, unrepeated headers, and a length if there is a body (RFC 9112). The parser of Node.js handles all
 * of these.
 */
export function readPlainHead(head: string): PlainHead | undefined {
  const lines = head.split('\r\n')
  const target = requestLine.exec(lines[0] ?? '')?.[1]
  if (target === undefined) return undefined
  // Has no prototype, because a header can be called `__proto__`.
  const headers: Record<string, string> = Object.create(null)
  for (let i = 1; i < lines.length; i++) {
    const [, name, value] = headerLine.exec(lines[i] ?? '') ?? []
    const key = name?.toLowerCase()
    if (key === undefined || value === undefined || key in headers) return undefined
    headers[key] = value.trim()
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  if (!host || connection.toLowerCase() !== 'keep-alive' || unusual.some((name) => name in headers))
    return undefined
  if (target.startsWith('POST ') ? !plainLength.test(length ?? '') : length !== undefined) return undefined
  return { target, headers, bodyBytes: Number(length ?? 0) }
}
