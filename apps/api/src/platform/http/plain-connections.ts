import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Found, Front, FrontRequest } from './front.ts'
import type { NodeInternals } from './node-internals.ts'
import { PlainHeadReader } from './plain-heads.ts'
import { maxPlainBytes, type PlainHead } from './plain-request.ts'
import { finishedText, type WriteFinished } from './send.ts'

interface Terms {
  readonly front: Pick<Front, 'find'>
  /** Returns true while every response must end its connection. */
  readonly endsConnections: () => boolean
  /** The time in which a new connection must send its first request. */
  readonly silentMs: number
  readonly internals: Pick<NodeInternals, 'takeConnections'>
}

/** Passes a connection to Node.js. */
type Accept = (connection: Duplex) => void

/**
 * Reads connections without `node:http`, whose parser and streams would be most of the work for a request that is
 * answered from memory. This works as long as every request is plain and arrives in one piece. The first request of
 * another kind passes the connection to Node.js permanently, with all its bytes, so that the rules of HTTP are
 * implemented only once. If `takeConnections` is undefined, Node.js reads all connections.
 */
export function readPlainConnections(server: Server, terms: Terms): { endUnused(): void } {
  const accept = terms.internals.takeConnections?.(server)
  /**
   * The connections that wait for their first request, or for the next one. `endUnused` ends them, because a stop would
   * otherwise wait for them.
   */
  const unused = new Set<Duplex>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
    if (accept) readPlain(socket, server, accept, unused, terms)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!(socket instanceof Detour)) return void unused.delete(socket)
    const { client } = socket
    unused.delete(client)
    response.once('close', () => {
      // If that was the connection's final response, nothing more is read from it.
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

/** A plain request, and the endpoint that may answer it from memory. */
interface PlainRequest extends FrontRequest {
  /** The whole request as received. */
  readonly chunk: Buffer
  readonly body: Buffer
  readonly found: Found
}

/** Reads one connection until a request needs Node.js. */
function readPlain(
  socket: Socket,
  server: Server,
  accept: Accept,
  unused: Set<Duplex>,
  { front, endsConnections, silentMs }: Terms,
) {
  const heads = new PlainHeadReader()
  let head: PlainHead | undefined
  let found: Found | undefined
  let detour: Detour | undefined
  let hasAsked = false

  const write: WriteFinished = (prepared, more, body) => void socket.write(finishedText(prepared, more, body))

  /**
   * Returns the body if the chunk is exactly one complete, plain request for an endpoint that can answer from memory.
   */
  const readBody = (chunk: Buffer): Buffer | undefined => {
    if (chunk.length > maxPlainBytes) return undefined
    const end = endOfHead(chunk)
    if (end < 0) return undefined
    const before = head?.target
    head = heads.read(chunk.toString('latin1', 0, end))
    if (head?.target !== before) found = head && front.find(head.target)
    return head && found && chunk.length === end + 4 + head.bodyBytes ? chunk.subarray(end + 4) : undefined
  }

  const read = (chunk: Buffer) => {
    const body = readBody(chunk)
    // A client that does not read its responses is passed to Node.js, which applies backpressure.
    if (!head || !found || !body || socket.writableLength > 0 || endsConnections()) return leave(chunk)
    if (!hasAsked) {
      hasAsked = true
      socket.setTimeout(server.keepAliveTimeout)
    }
    const request: PlainRequest = { headers: head.headers, socket, chunk, body, found }
    const outcome = respond(request)
    if (outcome === true) return
    // The rest of the connection waits for this request.
    socket.pause()
    if (outcome) void tryAgain(request, outcome)
    else passOn(request)
  }
  const respond = (request: PlainRequest) =>
    request.found.respond(request, request.body, request.found.params, write)
  const tryAgain = async (request: PlainRequest, until: Promise<void>) => {
    unused.delete(socket)
    await until
    // The client has gone, and does not count.
    if (!socket.writable) return
    if (endsConnections() || respond(request) !== true) return passOn(request)
    unused.add(socket)
    socket.resume()
  }
  /** Passes a request to Node.js, because the memory does not contain the answer. */
  const passOn = ({ chunk }: PlainRequest) => {
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

/** The first letter of `GET`, and the empty line that ends a head. */
const letterG = 0x47
const emptyLine = 0x0d0a0d0a

/**
 * Returns the length of the head at the start of a chunk, or -1. A plain GET has no body, so its head ends with the
 * chunk. So it needs no search, which would cost half as much as parsing the head.
 */
function endOfHead(chunk: Buffer): number {
  if (chunk[0] !== letterG) return chunk.indexOf('\r\n\r\n')
  const end = chunk.length - 4
  return end > 0 && chunk.readUInt32BE(end) === emptyLine ? end : -1
}

/**
 * Passes single requests to Node.js: a stream that looks like a connection with only this request. Its output goes to
 * the client. When Node.js ends it, the client's connection ends, too.
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

  /** Ends the detour, but leaves the client's connection open. */
  leave() {
    this.#hasLeft = true
    this.destroy()
  }

  /**
   * Node.js calls this method of a socket to end a connection after its final response. Ends the stream even if the
   * client never ends its side.
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
