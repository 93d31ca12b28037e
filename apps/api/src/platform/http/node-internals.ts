import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PreparedHead } from './send.ts'

/**
 * The output of a connection: how many bytes the operating system has accepted, and how many are still waiting in this
 * process.
 */
export interface Output {
  readonly accepted: number
  readonly pending: number
}

/**
 * All undocumented parts of Node.js that the service uses. They are used only here, and `check-internals.ts` tests each
 * of them before the service listens.
 */
export interface NodeInternals {
  /**
   * Takes over the connections of a server from `node:http`. The returned function passes a connection, or a stream
   * that acts as one, back to `node:http` with all its unread bytes. Undefined if `node:http` must read every
   * connection itself.
   */
  readonly takeConnections: ((server: Server) => (connection: Duplex) => void) | undefined
  /** Writes a prepared head, followed by the headers `more` (name, value, name, value). */
  writeHead(response: ServerResponse, head: PreparedHead, more: readonly string[]): void
  readOutput(socket: Socket): Output
}

/** The parts as they exist in Node.js 20, 22, and 24. */
export const nodeInternals: NodeInternals = {
  takeConnections(server) {
    const [listener, ...others] = server.listeners('connection')
    if (!listener || others.length > 0) throw new Error('node:http has not one listener for connections')
    server.removeAllListeners('connection')
    return (connection) => void listener.call(server, connection)
  },
  // Node.js writes the text first, then the headers `more`, then those that it adds itself.
  writeHead(response: ServerResponse & Partial<StoresHead>, { status, text }, more) {
    if (!response._storeHeader) throw new Error('ServerResponse has no _storeHeader')
    response.statusCode = status
    response._storeHeader(text, more)
  },
  /**
   * Reads the counters of the native handle, as the timeouts of Node.js do. The socket's own counters, `bytesWritten`
   * and `writableLength`, change only when a whole write completes. With them, a slow client that receives a large
   * response would seem stalled.
   */
  readOutput(socket: Socket & { readonly _handle?: OutputHandle | null }) {
    const { bytesWritten = Number.NaN, writeQueueSize = Number.NaN } = socket._handle ?? closed
    return { accepted: bytesWritten - writeQueueSize, pending: writeQueueSize }
  },
}

/**
 * Replacements that use documented parts only. They are slower, and a slow client seems stalled during one large write.
 */
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
