import type { IncomingHttpHeaders } from 'node:http'

/** The head of a plain request: one without anything unusual (see `readPlainHead`). */
export interface PlainHead {
  /** The method and the target as sent, such as `POST /api/auth/validate`. */
  readonly target: string
  /** The headers by lower-case name. None of them was sent twice. */
  readonly headers: IncomingHttpHeaders
  /** The number of bytes of the body, or 0 if there is none. */
  readonly bodyBytes: number
}

/** The maximum size of a plain request in bytes. Node.js handles larger ones, with its own limits. */
export const maxPlainBytes = 4096

const requestLine = /^((?:GET|POST) \/[\x21-\x7e]*) HTTP\/1\.1$/
/**
 * A header line of RFC 9110 §5.5, without `obs-text`, folding, bare CR, or bare LF. The value is trimmed later: a
 * pattern that trims would take too long for a malicious value with many blanks.
 */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\x20-\x7e\t]*)$/
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

/**
 * Parses the head of a request, without the empty line at its end. Returns undefined for a head that is ambiguous (RFC
 * 9112) or in any way unusual: only a method, a target, headers that occur once, and the length of a body are plain.
 * Node.js parses the others.
 */
export function readPlainHead(head: string): PlainHead | undefined {
  const lines = head.split('\r\n')
  const target = requestLine.exec(lines[0] ?? '')?.[1]
  if (target === undefined) return undefined
  // Without a prototype, because a header may be called `__proto__`.
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
