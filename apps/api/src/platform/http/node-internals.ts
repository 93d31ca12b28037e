import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PreparedHead } from './send.ts'

/** How many bytes of a connection's output the kernel has accepted, and how many still wait. */
export interface Output {
  readonly accepted: number
  readonly pending: number
}

/**
 * Names everything that the service takes from Node.js beyond its documentation. Nothing else reads private parts, and
 * `check-internals.ts` exercises each of them before the service listens.
 */
export interface NodeInternals {
  /**
   * Takes the connections of a server away from `node:http`. The returned function gives one back: a connection with all
   * its bytes, or a stream that stands for one. Undefined if `node:http` must read every connection itself.
   */
  readonly takeConnections: ((server: Server) => (connection: Duplex) => void) | undefined
  /** Writes a head that was made and checked before, with `more` headers (name, value, name, value). */
  writeHead(response: ServerResponse, head: PreparedHead, more: readonly string[]): void
  readOutput(socket: Socket): Output
}

/** The parts as Node.js 20, 22 and 24 have them. */
export const nodeInternals: NodeInternals = {
  takeConnections(server) {
    const [listener, ...others] = server.listeners('connection')
    if (!listener || others.length > 0) throw new Error('node:http has not one listener for connections')
    server.removeAllListeners('connection')
    return (connection) => void listener.call(server, connection)
  },
  // The response starts with this text, then come these headers, then those that Node.js adds.
  writeHead(response: ServerResponse & Partial<StoresHead>, { status, text }, more) {
    if (!response._storeHeader) throw new Error('ServerResponse has no _storeHeader')
    response.statusCode = status
    response._storeHeader(text, more)
  },
  /**
   * `bytesWritten` and `writableLength` of the socket count a write that is under way as a whole, so a slow client that
   * takes a large one would seem stalled. Node.js judges its own timeouts by the two counts of the handle.
   */
  readOutput(socket: Socket & { readonly _handle?: OutputHandle | null }) {
    const { bytesWritten = Number.NaN, writeQueueSize = Number.NaN } = socket._handle ?? closed
    return { accepted: bytesWritten - writeQueueSize, pending: writeQueueSize }
  },
}

/** Does the same by documented parts alone. Slower, and a slow client seems stalled during one large write. */
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
