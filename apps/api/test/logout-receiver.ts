import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a client's back-channel logout endpoint on this machine. It records its requests. */
export async function startLogoutReceiver() {
  const received: { readonly token: string; readonly atMs: number }[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      received.push({ token: new URLSearchParams(body).get('logout_token') ?? '', atMs: performance.now() })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    uri: `http://127.0.0.1:${port}/logout`,
    received,
    /** Sets the response to the next requests. */
    answer: (...next: number[]) => void statuses.push(...next),
    close: () => new Promise<void>((closed) => void server.close(() => closed())),
  }
}
