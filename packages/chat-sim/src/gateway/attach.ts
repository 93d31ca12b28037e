import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Connection, createConnection, detachSession } from './connection.ts'
import type { Hub } from './hub.ts'
import { closeCode, frame, op } from './protocol.ts'
import { receive } from './receive.ts'

const gatewayPath = '/gateway'
/** The path for resuming a session. As on the platform, it differs from the first path, so confusing them fails. */
const resumePath = '/gateway/resume'
const supervisionMs = 1_000

/** Attaches the gateway to the port of the HTTP server. */
export function attachGateway(hub: Hub, server: Server) {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1 << 20 })

  server.on('upgrade', (req: IncomingMessage, tcp: Duplex, head: Buffer) => {
    const url = new URL(req.url ?? '/', 'http://gateway')
    const isHere = url.pathname === gatewayPath || url.pathname === resumePath
    if (!isHere || hub.settings.refusesUntil > hub.platform.clock.now()) {
      tcp.end(`HTTP/1.1 ${isHere ? '503 Service Unavailable' : '404 Not Found'}\r\nConnection: close\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(req, tcp, head, (socket) => welcome(hub, socket, url, req.headers.host ?? ''))
  })

  const supervision = setInterval(() => dropSilent(hub), supervisionMs).unref()
  return () => {
    clearInterval(supervision)
    hub.stop()
    sockets.close()
  }
}

function welcome(hub: Hub, socket: WebSocket, url: URL, host: string): void {
  const { clock } = hub.platform
  const connection = createConnection(socket, `ws://${host}${resumePath}`, clock.now())
  hub.connections.add(connection)
  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => {
    const refusal = receive(hub, connection, data)
    if (refusal !== undefined) shut(hub, connection, refusal)
  })
  socket.on('close', (code) => {
    hub.connections.delete(connection)
    // A client that closes with 1000 or 1001 will not resume its session.
    if ((code === 1000 || code === 1001) && connection.session) hub.sessions.delete(connection.session.id)
    else detachSession(connection, clock.now())
  })

  const version = url.searchParams.get('v')
  if (version !== null && version !== '10') shut(hub, connection, closeCode.invalidVersion)
  if (hub.settings.isSilentAtStart) return
  const interval = { heartbeat_interval: hub.settings.heartbeatIntervalMs, _trace: ['chat-sim'] }
  connection.send(frame(op.hello, interval))
}

/** The close codes after which the client cannot resume its session. */
const endsSession = new Set<number>([closeCode.rateLimited, closeCode.sessionTimedOut])

function shut(hub: Hub, connection: Connection, code: number): void {
  if (connection.session && endsSession.has(code)) hub.sessions.delete(connection.session.id)
  connection.close(code)
}

/** Disconnects clients that sent no heartbeat for one and a half intervals, and ends their sessions. */
function dropSilent(hub: Hub): void {
  const { settings, platform, connections } = hub
  const oldest = platform.clock.now() - settings.heartbeatIntervalMs * 1.5 - supervisionMs
  for (const connection of connections) {
    const isSupervised = !connection.isFrozen && !settings.isSilentAtStart
    if (isSupervised && connection.lastHeartbeatAt < oldest) shut(hub, connection, closeCode.sessionTimedOut)
  }
}
