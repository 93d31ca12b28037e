import type { Server, Socket } from 'node:net'
import type { NodeInternals } from './node-internals.ts'

/** The number of sweeps without progress that end a connection. */
const maxSweeps = 8

interface Stall {
  /** The number of bytes that the kernel had accepted at the last sweep. */
  readonly accepted: number
  readonly sweeps: number
}

/**
 * Ends each connection with a client that reads none of its pending output for `stalledMs`; Node.js has no such limit.
 * One timer serves all connections of a server, so a request needs no timer. Counts sweeps instead of time: after a
 * pause of this process, a client gets its turn before it is judged.
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
      // A plain close would leave the pending bytes in the kernel, which offers them to the client for minutes.
      if (sweeps >= maxSweeps) socket.resetAndDestroy()
    }
  }
  server.once('listening', () => {
    const timer = setInterval(sweep, stalledMs / maxSweeps).unref()
    server.once('close', () => clearInterval(timer))
  })
}
