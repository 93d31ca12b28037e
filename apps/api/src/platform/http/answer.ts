import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** An answer that is more than a JSON body with the declared status. */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders
  /** A file or page, sent as it is; its media type is in `headers`. */
  readonly stream: Readable | undefined

  constructor(status: number, body?: unknown, headers: OutgoingHttpHeaders = {}, stream?: Readable) {
    this.status = status
    this.body = body
    this.headers = headers
    this.stream = stream
    // It may fail before anyone reads it, and an error that nobody listens to ends the process.
    stream?.on('error', () => {})
  }
}

/** Sends the browser on. Cookies go with it. */
export const redirect = (location: string, cookies: readonly string[] = []) =>
  new Answer(302, undefined, {
    location: headerSafe(location),
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  })

/** What a header cannot carry is percent-encoded: writing it would throw, and not say why. */
const headerSafe = (location: string) =>
  location.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
