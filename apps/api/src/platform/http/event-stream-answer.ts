import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Answer } from './answer.ts'

/**
 * Creates a response with server-sent events (WHATWG HTML §9.2). It lasts until the stream ends or the client
 * disconnects.
 */
export const eventStreamAnswer = (stream: Readable): Answer =>
  new Answer(
    200,
    undefined,
    {
      'content-type': 'text/event-stream; charset=utf-8',
      // The stream lasts until its instance stops, so no other request should wait for this connection.
      connection: 'close',
      // Turns off the buffering of proxies, which would delay events.
      'x-accel-buffering': 'no',
    },
    stream,
  )

/**
 * Returns the event ID after which a client that reconnects continues. Ignores an empty ID, which a client sends after
 * the server has reset its ID.
 */
export function lastEventIdOf({ 'last-event-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined
}
