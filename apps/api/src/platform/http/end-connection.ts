import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The time for the final response to arrive. */
const lastWordsMs = 2_000

/** Connections that end as soon as their earlier requests are answered. */
const waiting = new WeakSet<Duplex>()

/**
 * Ends a connection that received invalid bytes, with the final response `lastWords`. A client with an earlier request
 * would interpret the next response as its own. So earlier responses are sent first, and a response that has begun is
 * not interrupted.
 */
export function endConnection(socket: Duplex, lastWords: () => string): void {
  if (waiting.has(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const answer = unfinished.get(socket)?.[0]
  // The bytes may be the body of the very request that waits for its response.
  if (!answer || (!answer.headersSent && !answer.req.complete)) {
    socket.end(lastWords())
    // A client that does not close its side would keep the connection open, within the limit of connections.
    setTimeout(() => socket.destroy(), lastWordsMs).unref()
  } else if (answer.headersSent && !answer.writableEnded) {
    // A stream ends only with its connection.
    socket.destroy()
  } else {
    waiting.add(socket)
    answer.once('close', () => {
      waiting.delete(socket)
      endConnection(socket, lastWords)
    })
  }
}

/** Unfinished responses of each connection, in the order of their requests. Only pipelined requests cause more than one. */
const unfinished = new WeakMap<Duplex, ServerResponse[]>()

/** Tracks unfinished responses of a server for `endConnection`. */
export function watchAnswers(server: Server): void {
  // This listener must run before the handler, which may respond synchronously.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = unfinished.get(socket)
    if (answers) answers.push(response)
    else unfinished.set(socket, [response])
    response.once('close', untrack)
  })
}

function untrack(this: ServerResponse) {
  const answers = unfinished.get(this.req.socket)
  const place = answers?.indexOf(this) ?? -1
  if (place >= 0) answers?.splice(place, 1)
}
