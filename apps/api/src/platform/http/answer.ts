import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * The response of a handler that needs more than a JSON body with the declared status: another status, headers, or a
 * stream.
 */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders
  /** A file or page that is sent unchanged. `headers` must contain its media type. */
  readonly stream: Readable | undefined

  constructor(status: number, body?: unknown, headers: OutgoingHttpHeaders = {}, stream?: Readable) {
    this.status = status
    this.body = body
    this.headers = headers
    this.stream = stream
    // The stream may fail before it is read. Without a listener, that error would end the process.
    stream?.on('error', () => {})
  }
}

/** Redirects the browser with 302, and sets cookies. */
export const redirect = (location: string, cookies: readonly string[] = []) =>
  new Answer(302, undefined, {
    location: headerSafe(location),
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  })

/**
 * Percent-encodes the characters that a header must not contain. Otherwise, Node.js would throw an error without naming
 * the cause.
 */
const headerSafe = (location: string) =>
  location.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
