import type { IncomingHttpHeaders } from 'node:http'

/** The head of a request in which nothing is unusual. */
export interface PlainHead {
  /** Method and target, as sent: `POST /api/auth/validate`. */
  readonly target: string
  /** By lower-case name; none came twice. */
  readonly headers: IncomingHttpHeaders
  /** How many bytes its body has; 0 without one. */
  readonly bodyBytes: number
}

/** Larger ones are left to the parser of Node.js, which knows the limits. */
export const maxPlainBytes = 4096

const requestLine = /^((?:GET|POST) \/[\x21-\x7e]*) HTTP\/1\.1$/
/**
 * RFC 9110 §5.5 without `obs-text`; a folded line has no name, and a bare CR or LF is no part of a value. The blanks around
 * it are taken away afterwards: strangers send this, and a pattern that shares them out tries every way to do so.
 */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\x20-\x7e\t]*)$/
/** What changes how a request is read, or what becomes of its connection. */
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
 * Reads a head, without the empty line at its end. Undefined for whatever two readers could understand in two ways, or
 * has more to it than a method, a target, headers that come once, and a length where there is a body (RFC 9112): all of
 * that is left to the parser of Node.js.
 */
export function readPlainHead(head: string): PlainHead | undefined {
  const lines = head.split('\r\n')
  const target = requestLine.exec(lines[0] ?? '')?.[1]
  if (target === undefined) return undefined
  // Without a prototype: a header may be called `__proto__`.
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
