import {
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** What is the same in the head of many answers, checked once: Node.js checks each header each time. */
export interface PreparedHead {
  readonly status: number
  /** Name, value, name, value. */
  readonly headers: readonly string[]
  /** The same with the status line, as it goes out. */
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

/** Writes a whole answer with a prepared head, `more` headers (name, value, name, value) and its body. */
export type WriteFinished = (head: PreparedHead, more: readonly string[], body: string) => void

/** Writes a whole answer on a response of Node.js. */
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

/** How long a connection waits for its next request. */
export const keepAliveMs = 72_000

/** The same as it goes out on a connection that stays open, with what Node.js adds by itself. */
export function finishedText(head: PreparedHead, more: readonly string[], body: string): string {
  let { text } = head
  for (let i = 0; i < more.length; i += 2) text += `${more[i]}: ${more[i + 1]}\r\n`
  return `${text}Date: ${httpDate()}\r\n${staysOpen}${body}`
}

const staysOpen = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n\r\n`

let dateSeconds = 0
let date = ''

/** Now, as a `Date` header (RFC 9110 §5.6.7), made once a second. */
function httpDate(): string {
  const seconds = Math.floor(Date.now() / 1000)
  if (seconds !== dateSeconds) {
    dateSeconds = seconds
    date = new Date(seconds * 1000).toUTCString()
  }
  return date
}

/** Writes a whole answer. What throws does so before anything is sent. */
export function sendWhole(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
) {
  // RFC 9110 §8.6: these have no body, and no length of one.
  const isBodyless = status === 204 || status === 304
  raw.writeHead(status, isBodyless ? headers : { ...headers, 'content-length': Buffer.byteLength(body) })
  // As text it goes out with its head, in one write. To HEAD Node sends the head alone.
  raw.end(body)
}

/**
 * Writes an answer as it is made; `began` is called when its head is written, which is when there is something to send:
 * what fails before can still be answered. Ends with the answer, or when the client has gone.
 * @throws what the stream failed of, having let go of it
 */
export async function sendStream(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  stream: Readable,
  began: () => void,
): Promise<void> {
  const isHead = raw.req.method === 'HEAD'
  // A client that goes before the first byte is not waited for.
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
    // Its own end is no failure: the client went, or whoever made the stream let go of it.
    if ((error as { code?: string } | null)?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    raw.destroy()
  } finally {
    raw.off('close', leave)
    stream.destroy()
  }
}

/** Waits until a stream has something, or has ended in whatever way. */
const firstByte = (stream: Readable) =>
  new Promise<void>((resolve, reject) => {
    if (stream.errored) return reject(stream.errored)
    if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return resolve()
    stream
      .once('readable', () => resolve())
      .once('close', () => resolve())
      .once('error', reject)
  })
