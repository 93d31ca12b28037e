import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../../../../tools/free-port.js'

/** An address that forwards requests of the service to a party while it is open. */
export interface Relay {
  readonly origin: string
  open(): Promise<void>
  /** Closes the address and every connection. */
  close(): void
}

export async function createRelay(to: string): Promise<Relay> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(to).port), '127.0.0.1')
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      onward.destroy()
    })
    for (const end of [socket, onward]) end.on('error', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    open: () => new Promise((listening) => server.listen(port, '127.0.0.1', listening)),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
