import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Answer } from './answer.ts'

/** A stream of server-sent events (WHATWG HTML §9.2), until it ends or its reader goes. */
export const eventStreamAnswer = (stream: Readable): Answer =>
  new Answer(
    200,
    undefined,
    {
      'content-type': 'text/event-stream; charset=utf-8',
      // A stream ends when its instance stops: nothing else should wait for the connection then.
      connection: 'close',
      // Proxies that gather answers into blocks would hold events back.
      'x-accel-buffering': 'no',
    },
    stream,
  )

/** Where a client that had a stream before goes on. An empty one is none: so it sends back an id that it was told to forget. */
export function lastEventIdOf({ 'last-event-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined
}
