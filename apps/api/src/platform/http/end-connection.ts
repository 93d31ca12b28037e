import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The time in which a client can receive the final response. */
const finalResponseMs = 2_000

/** The connections that end after the responses to their earlier requests. */
const waiting = new WeakSet<Duplex>()

/**
 * Ends a connection that received invalid bytes, with a final response. A client takes the next response for the one to
 * its earliest request. So earlier responses are sent first, and a response that has begun is not followed by another.
 */
export function endConnection(socket: Duplex, finalResponse: () => string): void {
  if (waiting.has(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const answer = unfinished.get(socket)?.[0]
  // The bytes may be the body of the very request that waits for its response.
  if (!answer || (!answer.headersSent && !answer.req.complete)) {
    socket.end(finalResponse())
    // Closes the connection even if the client does not, because it counts toward the limit of connections.
    setTimeout(() => socket.destroy(), finalResponseMs).unref()
  } else if (answer.headersSent && !answer.writableEnded) {
    // The response may be a stream, which ends only with its connection.
    socket.destroy()
  } else {
    waiting.add(socket)
    answer.once('close', () => {
      waiting.delete(socket)
      endConnection(socket, finalResponse)
    })
  }
}

/**
 * The unfinished responses of each connection, in the order of their requests. Only pipelining causes more than one.
 */
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
