import type { Server, Socket } from 'node:net'
import type { NodeInternals } from './node-internals.ts'

/** The number of sweeps in a row without progress that end a connection. */
const maxSweeps = 8

interface Stall {
  /** The number of bytes that the operating system had accepted at the last sweep. */
  readonly accepted: number
  readonly sweeps: number
}

/**
 * Disconnects each client that reads none of its pending output for `stalledMs`, a limit that Node.js does not have.
 * One timer checks all connections of a server. It counts its own runs ("sweeps") instead of time, so that a client is
 * not blamed for a pause of this process.
 */
export function endStalledConnections(
  server: Server,
  stalledMs: number,
  { readOutput }: Pick<NodeInternals, 'readOutput'>,
): void {
  const open = new Set<Socket>()
  const stalls = new Map<Socket, Stall>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      stalls.delete(socket)
    })
  })
  const sweep = () => {
    for (const socket of open) {
      const { accepted, pending } = readOutput(socket)
      if (pending === 0) {
        stalls.delete(socket)
        continue
      }
      const last = stalls.get(socket)
      const sweeps = last?.accepted === accepted ? last.sweeps + 1 : 0
      stalls.set(socket, { accepted, sweeps })
      // With a plain close, the operating system would still try for minutes to deliver the pending bytes.
      if (sweeps >= maxSweeps) socket.resetAndDestroy()
    }
  }
  server.once('listening', () => {
    const timer = setInterval(sweep, stalledMs / maxSweeps).unref()
    server.once('close', () => clearInterval(timer))
  })
}
