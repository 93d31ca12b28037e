import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Answer } from './answer.ts'

/**
 * Creates the response with a stream of server-sent events (WHATWG HTML §9.2), which lasts until the stream ends or
 * its reader disconnects.
 */
export const eventStreamAnswer = (stream: Readable): Answer =>
  new Answer(
    200,
    undefined,
    {
      'content-type': 'text/event-stream; charset=utf-8',
      // A stream ends when its instance stops, so no other request should use the connection.
      connection: 'close',
      // Proxies that buffer responses would delay events.
      'x-accel-buffering': 'no',
    },
    stream,
  )

/**
 * Returns the ID after which a reconnecting client continues. Ignores an empty ID, which a client sends after the
 * server has reset its ID.
 */
export function lastEventIdOf({ 'last-event-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined
}
