import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/**
 * Creates a server that can stop listening, and later listen on the same port again. So tests can simulate a platform
 * that refuses connections.
 */
export function createSwitchableServer(listener: RequestListener, host: string) {
  const server = createServer({ keepAliveTimeout: 30_000 }, listener)
  const sockets = new Set<Socket>()
  let port = 0
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client may disconnect at any time.
    socket.on('error', () => socket.destroy())
  })

  async function up(wanted = port): Promise<void> {
    if (server.listening) return
    server.listen(wanted, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function down(): Promise<void> {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return { server, up, down, port: () => port }
}
