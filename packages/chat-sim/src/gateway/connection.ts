import type { WebSocket } from 'ws'
import type { Session } from './session.ts'

/** Client messages per connection and minute. */
const maxMessages = 120
const windowMs = 60_000

/** One socket: its message count, the time of its last heartbeat, and its session. */
export interface Connection {
  readonly socket: WebSocket
  readonly openedAt: number
  /** The address for a resume, by the name under which this client connected. */
  readonly resumeUrl: string
  session: Session | undefined
  /** True if it no longer sends or receives, while the socket stays open. */
  isFrozen: boolean
  lastHeartbeatAt: number
  send(text: string): void
  close(code: number): void
  /** Counts one more message. Returns true if it is within the limit. */
  countMessage(now: number): boolean
}

export function createConnection(socket: WebSocket, resumeUrl: string, now: number): Connection {
  let received: number[] = []
  const connection: Connection = {
    socket,
    openedAt: now,
    resumeUrl,
    session: undefined,
    isFrozen: false,
    lastHeartbeatAt: now,
    send(text) {
      if (!connection.isFrozen && socket.readyState === socket.OPEN) socket.send(text)
    },
    close: (code) => socket.close(code),
    countMessage(at) {
      received = received.filter((time) => time > at - windowMs)
      received.push(at)
      return received.length <= maxMessages
    },
  }
  return connection
}

export function attachSession(connection: Connection, session: Session): void {
  connection.session = session
  session.lostAt = undefined
  session.send = connection.send
}

/** Keeps the session for its client. Another connection may have taken it over already. */
export function detachSession(connection: Connection, now: number): void {
  const { session } = connection
  if (!session || session.send !== connection.send) return
  session.send = undefined
  session.lostAt = now
}
