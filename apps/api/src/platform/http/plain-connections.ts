import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Front } from './front.ts'
import type { NodeInternals } from './node-internals.ts'
import { maxPlainBytes, type PlainHead, readPlainHead } from './plain-request.ts'
import { finishedText, type WriteFinished } from './send.ts'

interface Terms {
  readonly front: Pick<Front, 'knows' | 'answerAtOnce'>
  /** Returns true while every response ends its connection. */
  readonly endsConnections: () => boolean
  /** The time that a new connection may be silent. */
  readonly silentMs: number
  readonly internals: Pick<NodeInternals, 'takeConnections'>
}

/** Passes a connection to Node.js. */
type Accept = (connection: Duplex) => void

/**
 * Reads connections directly while every request arrives in one piece and is plain. For such requests, the parser and
 * the streams of `node:http` would be most of the work. The first other request passes the connection to Node.js
 * permanently, with all its bytes, so that the rules of HTTP are in one place. If `takeConnections` is undefined,
 * Node.js reads all connections.
 */
export function readPlainConnections(server: Server, terms: Terms): { endUnused(): void } {
  const accept = terms.internals.takeConnections?.(server)
  /** The connections without a request so far. `endUnused` ends them, because a stop would otherwise wait for them. */
  const unused = new Set<Duplex>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
    if (accept) readPlain(socket, server, accept, terms)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!(socket instanceof Detour)) return void unused.delete(socket)
    const { client } = socket
    unused.delete(client)
    response.once('close', () => {
      // After its final response a connection is no longer read.
      if (client.destroyed || socket.writableEnded) return
      unused.add(client)
      client.resume()
    })
  })
  return {
    endUnused() {
      for (const socket of unused) socket.destroy()
    },
  }
}

function readPlain(
  socket: Socket,
  server: Server,
  accept: Accept,
  { front, endsConnections, silentMs }: Terms,
) {
  let text = ''
  /** The parsed form of `text`. Cached, because a client that repeats its request sends the same head. */
  let head: PlainHead | undefined
  let detour: Detour | undefined
  let hasAsked = false

  const write: WriteFinished = (prepared, more, body) => void socket.write(finishedText(prepared, more, body))

  /**
   * Returns the body of a chunk that is exactly one complete plain request to an endpoint that can answer from memory.
   */
  const readBody = (chunk: Buffer): Buffer | undefined => {
    if (chunk.length > maxPlainBytes) return undefined
    const end = chunk.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const found = chunk.toString('latin1', 0, end)
    if (found !== text) {
      text = found
      head = readPlainHead(found)
      if (head && !front.knows(head.target)) head = undefined
    }
    return head && chunk.length === end + 4 + head.bodyBytes ? chunk.subarray(end + 4) : undefined
  }

  const read = (chunk: Buffer) => {
    const body = readBody(chunk)
    // A client that does not read its responses is handed to Node.js, which applies backpressure.
    if (!head || !body || socket.writableLength > 0 || endsConnections()) return leave(chunk)
    if (!hasAsked) {
      hasAsked = true
      socket.setTimeout(server.keepAliveTimeout)
    }
    if (front.answerAtOnce(head.target, { headers: head.headers, socket }, body, write)) return
    // Memory is not enough. The rest of the connection waits until Node.js has answered this request.
    socket.pause()
    if (!detour) {
      detour = new Detour(socket)
      accept(detour)
    }
    detour.push(chunk)
  }
  const end = () => void socket.end()
  const fail = () => void socket.destroy()
  const expire = () => {
    if (hasAsked) return void socket.destroy()
    const error = Object.assign(new Error('No request arrived in time.'), {
      code: 'ERR_HTTP_REQUEST_TIMEOUT',
    })
    server.emit('clientError', error, socket)
  }
  const leave = (chunk: Buffer) => {
    socket.off('data', read).off('end', end).off('error', fail).off('timeout', expire).setTimeout(0)
    detour?.leave()
    accept(socket)
    socket.unshift(chunk)
  }
  socket.on('data', read).on('end', end).on('error', fail).on('timeout', expire).setTimeout(silentMs)
}

/**
 * Passes one request at a time to Node's own server, as a connection with only this request. Its output goes to the
 * client, and its end is the end of the client's connection.
 */
class Detour extends Duplex {
  readonly client: Socket
  readonly remoteAddress: string | undefined
  #hasLeft = false

  constructor(client: Socket) {
    super({ decodeStrings: false })
    this.client = client
    this.remoteAddress = client.remoteAddress
    client.once('close', () => this.destroy())
  }

  /** Ends the detour and keeps the client's connection. */
  leave() {
    this.#hasLeft = true
    this.destroy()
  }

  /**
   * Implements the socket method with which Node.js ends a connection after its final response, also for a client that
   * never ends its side.
   */
  destroySoon() {
    this.once('finish', () => this.destroy()).end()
  }

  override _read() {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.client.write(chunk, encoding, done)
  }

  override _final(done: (error?: Error | null) => void) {
    this.client.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    if (!this.#hasLeft) this.client.destroy()
    done(error)
  }
}
