import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The time in which a client can receive the final response. */
const finalResponseMs = 2_000

/** The connections that will end as soon as their earlier requests have been answered. */
const waiting = new WeakSet<Duplex>()

/**
 * Ends a connection that received invalid bytes, with a final response. A client assigns responses to requests by their
 * order. So all earlier responses are sent first, and the final response is left out if another one has already begun.
 */
export function endConnection(socket: Duplex, finalResponse: () => string): void {
  if (waiting.has(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const response = unfinished.get(socket)?.[0]
  // The invalid bytes may belong to the body of this very request. Its response has not begun, so the final one
  // replaces it.
  if (!response || (!response.headersSent && !response.req.complete)) {
    socket.end(finalResponse())
    // Closes the connection even if the client does not, because it counts toward the maximum number of connections.
    setTimeout(() => socket.destroy(), finalResponseMs).unref()
  } else if (response.headersSent && !response.writableEnded) {
    // The response may be a stream that never ends on its own.
    socket.destroy()
  } else {
    waiting.add(socket)
    response.once('close', () => {
      waiting.delete(socket)
      endConnection(socket, finalResponse)
    })
  }
}

/**
 * The unfinished responses of each connection, in the order of their requests. There is more than one only if the
 * client uses pipelining.
 */
const unfinished = new WeakMap<Duplex, ServerResponse[]>()

/** Tracks the unfinished responses of a server for `endConnection`. */
export function watchAnswers(server: Server): void {
  // Runs before the handler, which may respond synchronously.
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
