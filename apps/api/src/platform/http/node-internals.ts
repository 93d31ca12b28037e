import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PreparedHead } from './send.ts'

/** Counts the output bytes of a connection that the kernel has accepted, and those that are pending. */
export interface Output {
  readonly accepted: number
  readonly pending: number
}

/**
 * All undocumented parts of Node.js that the service uses. No other code uses private parts, and `check-internals.ts`
 * tests each of them before the service listens.
 */
export interface NodeInternals {
  /**
   * Takes the connections of a server from `node:http`. The returned function gives a connection back with all its
   * bytes, or gives a stream in its place. Undefined if `node:http` must read every connection itself.
   */
  readonly takeConnections: ((server: Server) => (connection: Duplex) => void) | undefined
  /** Writes a prepared head, followed by `more` headers (name, value, name, value). */
  writeHead(response: ServerResponse, head: PreparedHead, more: readonly string[]): void
  readOutput(socket: Socket): Output
}

/** Uses the private parts of Node.js 20, 22, and 24. */
export const nodeInternals: NodeInternals = {
  takeConnections(server) {
    const [listener, ...others] = server.listeners('connection')
    if (!listener || others.length > 0) throw new Error('node:http has not one listener for connections')
    server.removeAllListeners('connection')
    return (connection) => void listener.call(server, connection)
  },
  // The response starts with this text, followed by these headers and those that Node.js adds.
  writeHead(response: ServerResponse & Partial<StoresHead>, { status, text }, more) {
    if (!response._storeHeader) throw new Error('ServerResponse has no _storeHeader')
    response.statusCode = status
    response._storeHeader(text, more)
  },
  /**
   * Reads the counts of the handle, as the timeouts of Node.js do. `bytesWritten` and `writableLength` of the socket count
   * a write in progress as a whole, so a slow client that receives a large response would seem stalled.
   */
  readOutput(socket: Socket & { readonly _handle?: OutputHandle | null }) {
    const { bytesWritten = Number.NaN, writeQueueSize = Number.NaN } = socket._handle ?? closed
    return { accepted: bytesWritten - writeQueueSize, pending: writeQueueSize }
  },
}

/** Uses documented parts only. This is slower, and a slow client seems stalled during one large write. */
export const documentedParts: NodeInternals = {
  takeConnections: undefined,
  writeHead: (response, { status, headers }, more) => void response.writeHead(status, [...headers, ...more]),
  readOutput: ({ bytesWritten, writableLength }) => ({
    accepted: bytesWritten - writableLength,
    pending: writableLength,
  }),
}

interface StoresHead {
  _storeHeader(text: string, headers: readonly string[]): void
}

interface OutputHandle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

const closed: OutputHandle = { bytesWritten: 0, writeQueueSize: 0 }
