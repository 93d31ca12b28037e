import type { Server, Socket } from 'node:net'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'

/** The part of the cap from which on connections end with their response instead of waiting for another request. */
const crowdedPart = 0.8

interface ConnectionCap {
  readonly watch: (server: Server) => void
  readonly areCrowded: () => boolean
}

/**
 * Caps the open connections of this process. `areCrowded` returns true if few are left: responses then close their
 * connection, so that idle ones, which cost an unknown client nothing, cannot hold the rest.
 */
export function createConnectionCap({
  maxConnections,
  log,
}: {
  readonly maxConnections: number
  readonly log: Pick<Log, 'warn'>
}): ConnectionCap {
  const crowded = maxConnections * crowdedPart
  const turnedAway = createMinuteLog(log, 'connections rejected: MAX_CONNECTIONS reached')
  let open = 0
  return {
    areCrowded: () => open > crowded,
    watch(server) {
      server.maxConnections = maxConnections
      server.on('connection', (socket: Socket) => {
        open += 1
        socket.once('close', () => {
          open -= 1
        })
      })
      server.on('drop', () => turnedAway({ maxConnections }))
    },
  }
}
