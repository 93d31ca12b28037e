import type { Server, Socket } from 'node:net'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'

/** The part of the maximum above which connections end after their response, instead of waiting for another request. */
const crowdedPart = 0.8

interface ConnectionCap {
  readonly watch: (server: Server) => void
  /** Returns true while most of the permitted connections are open. */
  readonly areCrowded: () => boolean
}

/**
 * Limits the number of open connections of this process. While `areCrowded()` returns true, responses close their
 * connections. Otherwise, an attacker could block the service with idle connections, which cost almost nothing.
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
