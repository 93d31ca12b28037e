import {
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The common part of many response heads. Checked once, whereas Node.js would check each header each time. */
export interface PreparedHead {
  readonly status: number
  /** The headers as name, value, name, value. */
  readonly headers: readonly string[]
  /** The status line and the headers as text. */
  readonly text: string
}

/** The response of a server that can write such a head. */
export interface PreparedResponse {
  writePreparedHead(head: PreparedHead, more: readonly string[]): void
}

export function prepareHead(status: number, named: Readonly<Record<string, string>>): PreparedHead {
  const lines = Object.entries(named).map(([name, value]) => {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}`
  return { status, headers: Object.entries(named).flat(), text }
}

/** Writes a whole response with a prepared head, `more` headers (name, value, name, value), and a body. */
export type WriteFinished = (head: PreparedHead, more: readonly string[], body: string) => void

/** Writes a whole response on a response of Node.js. */
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

/** The time for which a connection waits for its next request. */
export const keepAliveMs = 72_000

/** Returns the text of a whole response on a connection that stays open, with the headers that Node.js would add. */
export function finishedText(head: PreparedHead, more: readonly string[], body: string): string {
  let { text } = head
  for (let i = 0; i < more.length; i += 2) text += `${more[i]}: ${more[i + 1]}\r\n`
  return `${text}Date: ${httpDate()}\r\n${staysOpen}${body}`
}

const staysOpen = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n\r\n`

let dateSeconds = 0
let date = ''

/** Returns the current time as a `Date` header (RFC 9110 §5.6.7), computed once a second. */
function httpDate(): string {
  const seconds = Math.floor(Date.now() / 1000)
  if (seconds !== dateSeconds) {
    dateSeconds = seconds
    date = new Date(seconds * 1000).toUTCString()
  }
  return date
}

/** Writes a whole response. Errors are thrown before anything is sent. */
export function sendWhole(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
) {
  // Responses with these statuses have no body and no content length (RFC 9110 §8.6).
  const isBodyless = status === 204 || status === 304
  raw.writeHead(status, isBodyless ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
  // Text is sent with its head, in one write. For HEAD, Node.js sends the head alone.
  raw.end(body)
}

/**
 * Writes a response as it is produced. Writes the head, and calls `began`, only when there is data, so that earlier
 * failures can still be answered. Resolves when the response ends, or when the client has disconnected.
 *
 * @throws the failure of the stream, after releasing it
 */
export async function sendStream(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  stream: Readable,
  began: () => void,
): Promise<void> {
  const isHead = raw.req.method === 'HEAD'
  // Does not wait for a client that disconnects before the first byte.
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
    // A premature close is not a failure: the client has disconnected, or the producer has released the stream.
    if ((error as { code?: string } | null)?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    raw.destroy()
  } finally {
    raw.off('close', leave)
    stream.destroy()
  }
}

/** Waits until a stream has data, or has ended in any way. */
const firstByte = (stream: Readable) =>
  new Promise<void>((resolve, reject) => {
    if (stream.errored) return reject(stream.errored)
    if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return resolve()
    stream
      .once('readable', () => resolve())
      .once('close', () => resolve())
      .once('error', reject)
  })
