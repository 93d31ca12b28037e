import {
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * The part of a response head that many responses have in common. It is validated once; Node.js would validate every
 * header of every response.
 */
export interface PreparedHead {
  readonly status: number
  /** The headers as a flat list: name, value, name, value. */
  readonly headers: readonly string[]
  /** The status line and the headers as text. */
  readonly text: string
}

/** A response that can write a prepared head. */
export interface PreparedResponse {
  writePreparedHead(head: PreparedHead, more: readonly string[]): void
}

/** Validates and formats a status and headers. */
export const prepareHead = (status: number, named: Readonly<Record<string, string>>): PreparedHead =>
  extendHead({ status, headers: [], text: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` }, named)

/** Adds headers to a prepared head. The two share the text that they have in common. */
export function extendHead(
  { status, headers, text }: PreparedHead,
  named: Readonly<Record<string, string>>,
): PreparedHead {
  const lines = Object.entries(named).map(([name, value]) => {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return { status, headers: [...headers, ...Object.entries(named).flat()], text: text + lines.join('') }
}

/** Writes a whole response: a prepared head, the headers `more` (name, value, name, value), and a body. */
export type WriteFinished = (head: PreparedHead, more: readonly string[], body: string) => void

/** Writes a whole response to a `ServerResponse`. */
export function sendFinished(
  raw: ServerResponse & Partial<PreparedResponse>,
  head: PreparedHead,
  more: readonly string[],
  body: string,
) {
  if (raw.writePreparedHead) raw.writePreparedHead(head, more)
  else raw.writeHead(head.status, [...head.headers, ...more])
  raw.end(body)
}

/** The time in milliseconds for which an idle connection waits for its next request. */
export const keepAliveMs = 72_000

/** Returns the text of a whole response on a connection that stays open. Adds the headers that Node.js would add. */
export function finishedText(head: PreparedHead, more: readonly string[], body: string): string {
  let { text } = head
  for (let i = 0; i < more.length; i += 2) text += `${more[i]}: ${more[i + 1]}\r\n`
  return `${text}Date: ${httpDate()}\r\n${staysOpen}${body}`
}

const staysOpen = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n\r\n`

let dateSeconds = 0
let date = ''

/** Returns the current time for the `Date` header (RFC 9110 §5.6.7). It is formatted once per second. */
function httpDate(): string {
  const seconds = Math.floor(Date.now() / 1000)
  if (seconds !== dateSeconds) {
    dateSeconds = seconds
    date = new Date(seconds * 1000).toUTCString()
  }
  return date
}

/** The length from which a text counts as long. */
const longText = 65_536

/** Writes a whole response. If it throws, nothing has been sent. */
export function sendWhole(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
) {
  // A response with such a status has neither a body nor a length (RFC 9110 §8.6).
  const isBodyless = status === 204 || status === 304
  // Counting the bytes of a long text takes as long as encoding it, so it is encoded once.
  const content = typeof body === 'string' && body.length >= longText ? Buffer.from(body) : body
  raw.writeHead(status, isBodyless ? headers : { ...headers, 'content-length': Buffer.byteLength(content) })
  // The text goes out with the head in one write. For HEAD, Node.js sends only the head.
  raw.end(content)
}

/**
 * Writes a response while it is produced. Writes the head, and calls `began`, only when the first data is there. A
 * failure before that can still get an error response. Resolves when the response has ended or the client has
 * disconnected.
 *
 * @throws the error of the stream, after destroying it
 */
export async function sendStream(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  stream: Readable,
  began: () => void,
): Promise<void> {
  const isHead = raw.req.method === 'HEAD'
  // If the client disconnects before the first byte, nothing waits for the stream any longer.
  const leave = () => stream.destroy()
  raw.once('close', leave)
  try {
    if (!isHead) await firstByte(stream)
    if (raw.destroyed) return
    raw.writeHead(status, headers)
    began()
    if (isHead) raw.end()
    else await pipeline(stream, raw)
  } catch (error) {
    // Not a failure: the client has disconnected, or the producer has destroyed the stream.
    if ((error as { code?: string } | null)?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    raw.destroy()
  } finally {
    raw.off('close', leave)
    stream.destroy()
  }
}

/** Waits until a stream has data, or has ended or failed. */
const firstByte = (stream: Readable) =>
  new Promise<void>((resolve, reject) => {
    if (stream.errored) return reject(stream.errored)
    if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return resolve()
    stream
      .once('readable', () => resolve())
      .once('close', () => resolve())
      .once('error', reject)
  })
