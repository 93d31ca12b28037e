import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { sendToNode } from './node.ts'

let server: Server | undefined
afterEach(() => server?.close())

test('a stream that a client reads slowly keeps one listener for its end', async () => {
  let most = 0
  let waits = 0
  server = createServer((_, response) => {
    response.on('drain', () => {
      waits += 1
    })
    let left = 30
    const stream = new ReadableStream({
      pull(controller) {
        most = Math.max(most, response.listenerCount('close'))
        if (left-- > 0) controller.enqueue(new Uint8Array(1_000_000))
        else controller.close()
      },
    })
    void sendToNode(new Response(stream), response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  expect((await response.arrayBuffer()).byteLength).toBe(30_000_000)
  expect(waits).toBeGreaterThan(10)
  expect(most).toBeLessThan(10)
})

test('a stream to a client that has already disconnected is canceled', async () => {
  const canceled = new Promise<string>((resolve) => {
    server = createServer((_, response) => {
      response.once('close', () => {
        const stream = new ReadableStream({ cancel: () => resolve('canceled') })
        void sendToNode(new Response(stream), response)
      })
      response.destroy()
    }).listen(0, '127.0.0.1')
  })
  await once(server as Server, 'listening')
  const { port } = (server as Server).address() as AddressInfo
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  expect(await canceled).toBe('canceled')
})
