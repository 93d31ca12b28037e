import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { createBodyReader } from './read-bytes.ts'

/** A server that answers how long the body was, or why it was not read. */
let server: Server
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  return new Promise((resolve) => server.close(resolve))
})

async function serve(bounds: { maxBodies: number; maxBytes: number }, limit = 1_000_000) {
  const bodies = createBodyReader(bounds)
  server = createServer(async (request, response) => {
    const told = await bodies.read(request, limit).then(
      ({ length }) => String(length),
      (error: unknown) => (error instanceof ApiError ? error.code : 'unknown'),
    )
    response.setHeader('connection', 'close')
    response.end(told)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

/** Opens a connection, sends, and waits until the server has a request of it; the rest may never come. */
async function send(bytes: string) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  const arrived = once(server, 'request')
  socket.write(bytes)
  await arrived
  const end = text(socket).then(
    (all) => all.split('\r\n').at(-1),
    () => 'connection ended',
  )
  return { socket, end }
}

test('complete requests are read while many hold half a body open; the oldest of those makes room', async () => {
  await serve({ maxBodies: 2, maxBytes: 1_000_000 })
  const slow = [await send(`${head(10)}12345`), await send(`${head(10)}12345`)]
  for (let i = 0; i < 5; i++) expect(await (await send(`${head(5)}12345`)).end).toContain('5')
  expect(await slow[0]?.end).toContain('SERVICE_OVERLOADED')
})

test('bytes of half-sent bodies are bounded together', async () => {
  await serve({ maxBodies: 100, maxBytes: 10_000 })
  const first = await send(head(9_000))
  const second = await send(head(9_000))
  first.socket.write('x'.repeat(8_000))
  second.socket.write('x'.repeat(8_000))
  const ended = await Promise.race([first.end, second.end])
  expect(ended).toContain('SERVICE_OVERLOADED')
})

test('every end of a request gives its room back', async () => {
  await serve({ maxBodies: 1, maxBytes: 100 }, 60)
  for (let i = 0; i < 10; i++) {
    expect(await (await send(`${head(50)}${'x'.repeat(50)}`)).end).toContain('50')
    expect(await (await send(head(61))).end).toContain('PAYLOAD_TOO_LARGE')
    const gone = await send(`${head(50)}x`)
    gone.socket.destroy()
    await gone.end
  }
  expect(await (await send(`${head(60)}${'x'.repeat(60)}`)).end).toContain('60')
})
