import type { WebSocket } from 'ws'
import type { Session } from './session.ts'

/** The maximum number of messages that a client may send on a connection per minute. */
const maxMessages = 120
const windowMs = 60_000

/** One socket, with its message count, the time of its last heartbeat, and its session. */
export interface Connection {
  readonly socket: WebSocket
  readonly openedAt: number
  /** The address at which this client can resume. It has the host name with which the client connected. */
  readonly resumeUrl: string
  session: Session | undefined
  /** True if the connection no longer sends or receives, although the socket stays open. */
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

/** Keeps the session after its connection has ended, unless another connection has already taken it over. */
export function detachSession(connection: Connection, now: number): void {
  const { session } = connection
  if (!session || session.send !== connection.send) return
  session.send = undefined
  session.lostAt = now
}
