import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** A response that is more than a JSON body with the declared status. */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders
  /** A file or page, sent unchanged; its media type is in `headers`. */
  readonly stream: Readable | undefined

  constructor(status: number, body?: unknown, headers: OutgoingHttpHeaders = {}, stream?: Readable) {
    this.status = status
    this.body = body
    this.headers = headers
    this.stream = stream
    // The stream may fail before it is read, and an error without a listener ends the process.
    stream?.on('error', () => {})
  }
}

/** Redirects the browser, with cookies. */
export const redirect = (location: string, cookies: readonly string[] = []) =>
  new Answer(302, undefined, {
    location: headerSafe(location),
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  })

/** Percent-encodes characters that are invalid in a header: writing them would throw without a reason. */
const headerSafe = (location: string) =>
  location.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
